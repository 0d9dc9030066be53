//! From files to a lowered program: the specification, its model, and what was asked for beside it.
//!
//! What goes in: a [`Request`]. What comes out: a [`Loaded`], or an outcome that says why not.

use std::path::Path;
use std::sync::Arc;

use lockstep_eval::ir::Program;
use lockstep_eval::{Evaluator, Options as LowerOptions, lower};
use lockstep_report as report;
use lockstep_semantic::config::{self, Config};
use lockstep_semantic::hir::{ExprKind, Spec};
use lockstep_semantic::{
    Analysis, ModuleSource, ModuleText, RootText, analyse, parse_config, parse_config_section,
};
use lockstep_syntax::{Diagnostic, FileId, SourceFile, SourceMap, Span, config_section};
use report::{Outcome, Verdict};

use crate::diagnostics::{convert, plain};
use crate::files::{Folders, Unreadable, read};
use crate::listener::Listener;
use crate::output::is_terminal;
use crate::parse::module_name;
use crate::request::{Behavior, Request};

/// A specification ready to be checked.
pub(crate) struct Loaded {
    /// The program.
    pub(crate) program: Program,
    /// Where its definitions stand, when coverage needs them.
    pub(crate) definitions: Vec<DefinitionPlace>,
}

/// Where a definition stands.
pub(crate) struct DefinitionPlace {
    /// Its name.
    pub(crate) name: String,
    /// All of it.
    pub(crate) span: Span,
    /// The name with its parameters.
    pub(crate) head: Span,
    /// The body.
    pub(crate) body: Span,
}

/// The exit status of a configuration that cannot be read, which to TLC is a general error.
const GENERAL: u8 = 255;

/// Where a configuration stands.
struct ConfigText {
    path: String,
    text: String,
    /// The name of the CONFIG section, when it is one of a module's file.
    section: Option<String>,
}

/// Reads, analyses, binds. `outcome` gets the diagnostics; on `None` it has the verdict as well.
pub(crate) fn load(
    request: &Request,
    listener: &mut dyn Listener,
    outcome: &mut Outcome,
) -> Option<Loaded> {
    let spec = read(&request.spec);
    let text = spec.as_deref().unwrap_or("");
    let config = match read_config(request, text) {
        Ok(it) => it,
        Err(reason) => {
            outcome.verdict = Verdict::ConfigError;
            outcome.exit = Some(GENERAL);
            if let Some(it) = unreadable(&request.spec, &spec) {
                outcome.diagnostics.push(it);
            }
            let mut problem = plain("5001", reason);
            problem.help =
                Some("write the model beside the module, or name it: --config".to_owned());
            outcome.diagnostics.push(problem);
            return None;
        }
    };
    if let Some(it) = unreadable(&request.spec, &spec) {
        outcome.verdict = Verdict::ParseError;
        outcome.diagnostics.push(it);
        listener.parsed(&[], &[], outcome);
        return None;
    }
    if let Some(problems) = config_problems(&config) {
        outcome.verdict = Verdict::ConfigError;
        // What stands where a name is due is to TLC a name that nothing defines.
        let syntax = problems.iter().any(|it| it.error && it.code != "E2229");
        outcome.exit = syntax.then_some(GENERAL);
        outcome.diagnostics.extend(problems);
        return None;
    }
    let followed = match request.follow.as_ref().map(followed).transpose() {
        Ok(it) => it,
        Err(reason) => {
            outcome.verdict = Verdict::SystemError;
            outcome.diagnostics.push(plain("1000", reason));
            return None;
        }
    };
    let analysis = sources(request, text, followed.as_deref());
    let color = is_terminal();
    let sources = &analysis.spec.sources;
    for it in &analysis.diagnostics {
        let mut it = convert(sources, it, color);
        let number = it.code.trim_start_matches(|ch: char| !ch.is_ascii_digit()).parse();
        it.error |= number.is_ok_and(|it| request.as_errors.contains(&it));
        outcome.diagnostics.push(it);
    }
    if outcome.diagnostics.iter().any(|it| it.error) {
        // Lexical and syntactic problems, and modules that cannot be found.
        let is_syntax = |code: &str| code.starts_with("E1") || code == "E4220";
        let syntax = outcome.diagnostics.iter().any(|it| it.error && is_syntax(&it.code));
        outcome.verdict = if syntax { Verdict::ParseError } else { Verdict::SemanticError };
    }
    let files: Vec<String> = sources.files().map(|(_, it)| it.name.clone()).collect();
    let modules: Vec<String> = analysis.spec.modules.iter().map(|it| it.name.to_string()).collect();
    listener.parsed(&files, &modules, outcome);
    if outcome.verdict != Verdict::Ok {
        return None;
    }
    bind(request, analysis, config, outcome)
}

/// What is wrong with the text of a configuration, told before the sources are read, as TLC does.
fn config_problems(it: &ConfigText) -> Option<Vec<report::Diagnostic>> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(it.path.as_str(), it.text.as_str()));
    let (_, problems) = parse_text(it, file, sources.file(file));
    let color = is_terminal();
    (problems.iter().any(Diagnostic::is_error))
        .then(|| problems.iter().map(|it| convert(&sources, it, color)).collect())
}

fn parse_text(it: &ConfigText, file: FileId, source: &SourceFile) -> (Config, Vec<Diagnostic>) {
    let section = it.section.as_ref().and_then(|name| parse_config_section(file, source, name));
    section.unwrap_or_else(|| parse_config(file, source))
}

fn unreadable(path: &Path, read: &Result<String, Unreadable>) -> Option<report::Diagnostic> {
    let error = read.as_ref().err()?;
    Some(plain(error.code(), error.about(path)))
}

/// The configuration: the file named, the one beside the specification, or a CONFIG section.
fn read_config(request: &Request, spec_text: &str) -> Result<ConfigText, String> {
    let beside = request.spec.with_extension("cfg");
    let path = request.config.clone().unwrap_or(beside);
    let shown = path.display().to_string();
    let name = module_name(&path);
    if path.extension().is_some_and(|it| it == "tla") {
        return match read(&path) {
            Ok(text) => section(&shown, &text, &name)
                .ok_or_else(|| format!("{shown}: There is no section CONFIG {name}.")),
            Err(Unreadable::Missing) => Err(format!("{shown}: File not found.")),
            Err(Unreadable::Bad(reason)) => Err(format!("{shown}: {reason}")),
        };
    }
    match read(&path) {
        Ok(text) => Ok(ConfigText { path: shown, text, section: None }),
        Err(Unreadable::Bad(reason)) => Err(format!("{shown}: {reason}")),
        Err(Unreadable::Missing) => {
            let file = request.spec.display().to_string();
            section(&file, spec_text, &name).ok_or_else(|| format!("{shown}: File not found."))
        }
    }
}

/// A CONFIG section of a file, if there is one of that name.
fn section(path: &str, text: &str, name: &str) -> Option<ConfigText> {
    config_section(text, name)?;
    Some(ConfigText {
        path: path.to_owned(),
        text: text.to_owned(),
        section: Some(name.to_owned()),
    })
}

/// The module that adds expressions given on the command line to the specification.
const EXTRA: &str = "LockstepCommandLine";

/// Modules of the user, the root among them when it is wrapped.
struct Wrapped<'a> {
    inner: &'a Folders,
    name: &'a str,
    path: String,
    text: &'a str,
}

impl ModuleSource for Wrapped<'_> {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        if name == self.name {
            let (path, text) = (self.path.clone(), self.text.to_owned());
            return Ok(Some(ModuleText { path, text }));
        }
        self.inner.load(name)
    }
}

/// Names of the definitions that the command line adds.
fn extra_invariant(idx: usize) -> String {
    format!("_CommandLineInvariant{}", idx + 1)
}

fn extra_postcondition(idx: usize) -> String {
    format!("_CommandLinePostcondition{}", idx + 1)
}

/// The constraint that follows a stored behaviour.
const FOLLOWED: &str = "_CommandLineBehavior";

/// The behaviour to follow as a constraint: what a state of each level must be.
fn followed(it: &Behavior) -> Result<String, String> {
    let shown = it.file.display();
    if !["json", "tlc", "tlcplain", "tlcaction", "itf"].contains(&it.format.as_str()) {
        return Err(format!("there is no format {} to load a behavior from", it.format));
    }
    let text = read(&it.file).map_err(|error| error.about(&it.file))?;
    let stored = report::read::read(&text).map_err(|error| format!("{shown}: {error}"))?;
    let steps = stored.trace().map_or(&[][..], |it| &it.steps);
    if steps.is_empty() {
        return Err(format!("{shown}: there is no behavior in it"));
    }
    let mut out = "LET _J == INSTANCE Json IN\n  CASE ".to_owned();
    for (idx, step) in steps.iter().enumerate() {
        let level = idx + 1;
        let mut state = "TRUE".to_owned();
        for binding in &step.state {
            let (name, value) = (&binding.name, &binding.text);
            // JSON does not tell sets from sequences, nor functions from records.
            state += &match it.format.as_str() {
                "json" => format!(" /\\ _J!ToJson({name}) = _J!ToJson({value})"),
                _ => format!(" /\\ {name} = {value}"),
            };
        }
        out += &format!("TLCGet(\"level\") = {level} -> ({state})\n  [] ");
    }
    Ok(out + "OTHER -> FALSE")
}

/// Analyses the specification, or a module around it when the command line has expressions.
fn sources(request: &Request, text: &str, followed: Option<&str>) -> Analysis {
    let folders = Folders::new(&request.spec, &request.path);
    let name = module_name(&request.spec);
    let path = request.spec.display().to_string();
    if request.invariants.is_empty() && request.postconditions.is_empty() && followed.is_none() {
        return analyse(&folders, RootText { name, path, text: text.to_owned() });
    }
    let mut extra = format!("---- MODULE {EXTRA} ----\nEXTENDS {name}, TLC\n");
    for (idx, expression) in request.invariants.iter().enumerate() {
        extra += &format!("{} ==\n  {expression}\n", extra_invariant(idx));
    }
    for (idx, operator) in request.postconditions.iter().enumerate() {
        let definition = match operator.split_once('!') {
            Some((module, operator)) => {
                format!("LET _M == INSTANCE {module} IN _M!{operator}")
            }
            None => operator.clone(),
        };
        extra += &format!("{} ==\n  {definition}\n", extra_postcondition(idx));
    }
    if let Some(constraint) = followed {
        extra += &format!("{FOLLOWED} ==\n  {constraint}\n");
    }
    extra += "====\n";
    let wrapped = Wrapped { inner: &folders, name: &name, path, text };
    let root = RootText { name: EXTRA.to_owned(), path: "<command line>".to_owned(), text: extra };
    analyse(&wrapped, root)
}

fn bind(
    request: &Request,
    mut analysis: Analysis,
    text: ConfigText,
    outcome: &mut Outcome,
) -> Option<Loaded> {
    let color = is_terminal();
    let file = analysis.spec.sources.add(SourceFile::new(text.path.as_str(), text.text.as_str()));
    let sources = &analysis.spec.sources;
    let (mut config, problems) = parse_text(&text, file, sources.file(file));
    outcome.diagnostics.extend(problems.iter().map(|it| convert(sources, it, color)));
    remember(&config, sources, outcome);
    add_extras(request, &mut config, file);
    if let Some(it) = unusable_number(&analysis.spec) {
        outcome.verdict = Verdict::ConfigError;
        outcome.exit = Some(config_exit(number(it.code)));
        outcome.diagnostics.push(convert(sources, &it, color));
        return None;
    }
    match lower(&analysis.spec, &config, &lower_options(request)) {
        Ok(program) => {
            if let Some(it) = constant_statements(&program, outcome) {
                outcome.verdict = Verdict::ConfigError;
                outcome.exit = Some(config_exit(number(it.code)));
                outcome.diagnostics.push(convert(sources, &it, color));
                return None;
            }
            let warnings = program
                .warnings
                .iter()
                .map(|it| report::Message { code: number(it.code), text: it.headline.clone() });
            outcome.warnings.extend(warnings);
            outcome.variables = program.variables.iter().map(|it| it.name.to_string()).collect();
            let definitions =
                if request.coverage { definitions(&analysis.spec) } else { Vec::new() };
            Some(Loaded { program, definitions })
        }
        Err(problems) => {
            outcome.diagnostics.extend(problems.iter().map(|it| convert(sources, it, color)));
            outcome.verdict = Verdict::ConfigError;
            let first = problems.iter().find(|it| it.is_error()).map_or(0, |it| number(it.code));
            outcome.exit = Some(config_exit(first));
            None
        }
    }
}

/// Numbers in the text that no evaluation could use, wherever they stand.
fn unusable_number(spec: &Spec) -> Option<Diagnostic> {
    let proven = |idx: usize| spec.proofs.iter().any(|it| it.contains(&idx));
    spec.exprs.iter().enumerate().find_map(|(idx, it)| {
        let text = spec.sources.text(it.span);
        let (code, what) = match &it.kind {
            ExprKind::Integer(value) if value.is_none_or(|n| i32::try_from(n).is_err()) => {
                ("E2265", "TLC can't handle a number this big.")
            }
            ExprKind::Decimal(_) => ("E2244", "TLC can't handle real numbers."),
            _ => return None,
        };
        (!proven(idx)).then(|| Diagnostic::error(code, it.span, format!("{what}\n{text}")))
    })
}

/// Looks at the statements of the configuration that no state decides. What nothing could satisfy
/// is a mistake; what always holds is worth a warning.
fn constant_statements(program: &Program, outcome: &mut Outcome) -> Option<Diagnostic> {
    if program.constant_statements.is_empty() {
        return None;
    }
    let mut evaluator = Evaluator::new(Arc::new(program.clone()));
    program.constant_statements.iter().find_map(|(what, property)| {
        let name = &property.name;
        let (code, text) = match evaluator.check_constant(property) {
            Ok(true) if *what == "specification" => ("E2230", "is equal to TRUE in every state"),
            Ok(false) => ("E2230", "is equal to FALSE in every state"),
            Err(_) if *what == "specification" => ("E2247", "is not a boolean expression"),
            Ok(true) if *what == "invariant" => {
                let text = format!(
                    "The invariant {name} is a constant-level formula (it contains no variables, \
                     primes, or temporal operators): it has the same value in all states."
                );
                outcome.warnings.push(report::Message { code: 2149, text });
                return None;
            }
            // What cannot be evaluated is told when the search needs it.
            Ok(true) | Err(_) => return None,
        };
        Some(Diagnostic::error(code, property.span, format!("the {what} {name} {text}")))
    })
}

fn definitions(spec: &Spec) -> Vec<DefinitionPlace> {
    (spec.definitions.iter())
        .map(|it| {
            let mut head = it.name_span;
            let text = spec.sources.text(it.span);
            let end = text.find("==").or_else(|| text.find('≜')).unwrap_or(0);
            let end = it.span.start + text[..end].trim_end().len() as u32;
            head.end = head.end.max(end);
            let body = spec.expr(it.body).span;
            DefinitionPlace { name: it.name.to_string(), span: it.span, head, body }
        })
        .collect()
}

/// The digits of a code.
pub(crate) fn number(code: &str) -> u32 {
    code.trim_start_matches(|ch: char| !ch.is_ascii_digit()).parse().unwrap_or(1000)
}

/// TLC's exit status for a mistake of the model.
fn config_exit(code: u32) -> u8 {
    match code {
        2146 => 76,
        2247 => 75,
        2222..=2241 | 2244 | 2270..=2283 | 2301 => 151,
        4200..=4999 => 150,
        _ => GENERAL,
    }
}

fn lower_options(request: &Request) -> LowerOptions {
    let on =
        |name: &str| request.properties.iter().any(|(key, value)| key == name && value == "true");
    LowerOptions {
        cdot: on("tlc2.tool.impl.Tool.cdot"),
        allow_cyclic_redefinition: on("tlc2.tool.impl.SpecProcessor.allowCyclicRedefinitions"),
        as_written: request.plain || request.coverage,
        count: request.coverage,
        ..LowerOptions::default()
    }
}

/// Keeps what a trace module needs: the lines of CONSTANTS and the model values.
fn remember(config: &Config, sources: &lockstep_syntax::SourceMap, outcome: &mut Outcome) {
    let mut models = std::collections::BTreeSet::new();
    for it in &config.constants {
        outcome
            .constants
            .push(sources.text(it.span).split_whitespace().collect::<Vec<_>>().join(" "));
        if let config::ConstantTarget::Value(value) = &it.to {
            model_values(value, &mut models);
        }
    }
    outcome.model_values = models.into_iter().collect();
}

fn model_values(value: &config::ConfigValue, found: &mut std::collections::BTreeSet<String>) {
    match value {
        config::ConfigValue::ModelValue(name) => {
            found.insert(name.to_string());
        }
        config::ConfigValue::Set(items) => items.iter().for_each(|it| model_values(it, found)),
        config::ConfigValue::Integer(_)
        | config::ConfigValue::String(_)
        | config::ConfigValue::Boolean(_) => {}
    }
}

fn add_extras(request: &Request, config: &mut Config, file: lockstep_syntax::FileId) {
    let span = Span::new(file, 0, 0);
    let name = |text: String| config::ConfigName { name: text.as_str().into(), span };
    for idx in 0..request.invariants.len() {
        config.invariants.push(name(extra_invariant(idx)));
    }
    if request.follow.is_some() {
        config.constraints.push(name(FOLLOWED.to_owned()));
    }
    for idx in 0..request.postconditions.len() {
        config.postconditions.push(name(extra_postcondition(idx)));
    }
}

/// The name that people gave a property: the expression for one of the command line.
pub(crate) fn property_name(request: &Request, name: &str) -> String {
    let invariants = (request.invariants.iter().enumerate())
        .find(|(idx, _)| extra_invariant(*idx) == name)
        .map(|(_, it)| it.clone());
    let postconditions = || {
        (request.postconditions.iter().enumerate())
            .find(|(idx, _)| extra_postcondition(*idx) == name)
            .map(|(_, it)| it.clone())
    };
    invariants.or_else(postconditions).unwrap_or_else(|| name.to_owned())
}
