//! `lockstep eval`: the value of an expression, printed as TLC prints it.
//!
//! The expression becomes a definition of a module that extends the context. What it prints goes to
//! standard error. Exit status 0, 150
//! when it does not parse or resolve, 75 when it has no value.

use std::path::PathBuf;
use std::sync::Arc;

use lockstep_eval::value::sets::is_enumerable;
use lockstep_eval::value::{LazyKind, Value, force};
use lockstep_eval::{Evaluator, Options, lower};
use lockstep_report as report;
use lockstep_semantic::config::{Config, ConfigName};
use lockstep_semantic::{ModuleSource, ModuleText, RootText, analyse, parse_config};
use lockstep_syntax::{Diagnostic, SourceFile, SourceMap, Span, parse_expression};

use crate::arguments::EvalArguments;
use crate::diagnostics::{convert, plain};
use crate::files::{Folders, read};
use crate::output::{Output, is_terminal, note};
use crate::parse::{PARSE_ERROR, module_name, print};

/// The root module.
const MODULE: &str = "LockstepEvaluation";
/// The definition that is the expression.
const NAME: &str = "_Value";
/// What an expression without context may use.
const STANDARD: &str = "Integers, Sequences, FiniteSets, Bags, TLC";
/// The exit status of an error of evaluation.
const EVAL_ERROR: u8 = 75;
/// The exit status of a model that cannot be used.
const CONFIG_ERROR: u8 = 151;

pub(crate) fn run(arguments: &EvalArguments, out: &mut Output) -> u8 {
    match value(arguments, out) {
        Ok(()) => 0,
        Err((status, problems)) => {
            out.flush();
            problems.iter().for_each(print);
            status
        }
    }
}

type Failure = (u8, Vec<report::Diagnostic>);

/// Folders with modules, and the module of the expression.
struct WithExpression {
    folders: Folders,
    name: &'static str,
    text: String,
}

impl ModuleSource for WithExpression {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        if name == self.name {
            let (path, text) = ("<expression>".to_owned(), self.text.clone());
            return Ok(Some(ModuleText { path, text }));
        }
        self.folders.load(name)
    }
}

/// Whether a value has no listing, and is shown as it was built.
fn is_symbolic(value: &Value) -> bool {
    match value {
        Value::Lazy(node) => match node.kind() {
            LazyKind::Lambda { domain, .. } => !is_enumerable(domain),
            _ => !is_enumerable(value),
        },
        _ => false,
    }
}

/// Whether a text is one expression.
fn parsed(text: &str) -> Result<(), (SourceMap, Vec<Diagnostic>)> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("<expression>", text));
    let parsed = parse_expression(file, sources.file(file));
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err((sources, parsed.diagnostics));
    }
    Ok(())
}

/// A text of several lines with its first moved as by `Test == ` before it.
fn shifted(text: &str) -> Option<String> {
    text.contains('\n').then(|| format!("        {text}"))
}

fn value(arguments: &EvalArguments, out: &mut Output) -> Result<(), Failure> {
    let color = is_terminal();
    let located = |sources: &SourceMap, problems: &[Diagnostic]| -> Vec<report::Diagnostic> {
        problems.iter().map(|it| convert(sources, it, color)).collect()
    };
    // By itself first, so that an expression cannot smuggle in definitions.
    let expression = match (parsed(&arguments.expression), shifted(&arguments.expression)) {
        (Ok(()), _) => arguments.expression.clone(),
        // TLC writes an expression behind `name ==`, which moves its first line to the right.
        (Err(_), Some(shifted)) if parsed(&shifted).is_ok() => shifted,
        (Err((sources, problems)), _) => return Err((PARSE_ERROR, located(&sources, &problems))),
    };
    let mut extends = STANDARD.to_owned();
    if let Some(context) = &arguments.context {
        // Says in our words why the context cannot be used.
        source(context, PARSE_ERROR)?;
        extends = module_name(context);
    }
    let last = "LockstepExpression";
    let indented = expression.replace('\n', "\n  ");
    let text =
        format!("---- MODULE {last} ----\nEXTENDS {extends}\n{NAME} ==\n  {indented}\n====\n");
    // The context is read first: strings and model values are ordered by their first occurrence.
    let root = format!("---- MODULE {MODULE} ----\nEXTENDS {extends}, {last}\n====\n");
    let context = arguments.context.clone().unwrap_or_else(|| PathBuf::from(MODULE));
    let folders = Folders::new(&context, &arguments.path);
    let folders = WithExpression { folders, name: last, text };
    let root = RootText { name: MODULE.to_owned(), path: "<command line>".to_owned(), text: root };
    let mut analysis = analyse(&folders, root);
    if analysis.has_errors() {
        let errors: Vec<Diagnostic> =
            analysis.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        return Err((PARSE_ERROR, located(&analysis.spec.sources, &errors)));
    }
    let mut config = config(arguments, &mut analysis.spec.sources)?;
    let file = analysis.spec.sources.files().map(|(id, _)| id).next();
    let Some(file) = file else { return Err((crate::SYSTEM_ERROR, Vec::new())) };
    config.alias = Some(ConfigName { name: NAME.into(), span: Span::new(file, 0, 0) });
    let options = Options { expressions_only: true, ..Options::default() };
    let program = lower(&analysis.spec, &config, &options)
        .map_err(|problems| (CONFIG_ERROR, located(&analysis.spec.sources, &problems)))?;
    let program = Arc::new(program);
    let Some(wanted) = &program.alias else { return Err((crate::SYSTEM_ERROR, Vec::new())) };
    let mut evaluator = Evaluator::new(Arc::clone(&program));
    if let Some(size) = arguments.max_set_size {
        evaluator.ctx().limits.max_set_size = usize::try_from(size).unwrap_or(usize::MAX);
    }
    evaluator.ctx().host = Some(crate::host::machine(arguments.allow_exec));
    let result = evaluator.eval_constant(&wanted.entry);
    // Elements that cannot be compared or computed show only when all of the value is.
    let result = result.and_then(|value| {
        if is_symbolic(&value) { Ok(value) } else { force(evaluator.ctx(), &value) }
    });
    for it in std::mem::take(&mut evaluator.ctx().output) {
        note(&it.text);
    }
    let text = match result {
        Ok(value) => evaluator.text(&value),
        Err(error) => {
            let mut problem =
                Diagnostic::new("75", lockstep_syntax::Severity::Error, error.span, "no value");
            problem.headline = error.message.trim_end().to_owned();
            return Err((EVAL_ERROR, located(&program.sources, &[problem])));
        }
    };
    out.line(&report::pretty::pretty(&text));
    Ok(())
}

fn source(path: &std::path::Path, status: u8) -> Result<String, Failure> {
    read(path).map_err(|error| (status, vec![plain(error.code(), error.about(path))]))
}

/// The constants of the context's model; what it says about behaviour does not matter here.
fn config(arguments: &EvalArguments, sources: &mut SourceMap) -> Result<Config, Failure> {
    let path = match (&arguments.config, &arguments.context) {
        (Some(path), _) => path.clone(),
        (None, Some(context)) if context.with_extension("cfg").is_file() => {
            context.with_extension("cfg")
        }
        _ => return Ok(Config::default()),
    };
    let text = source(&path, CONFIG_ERROR)?;
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    let (config, problems) = parse_config(file, sources.file(file));
    if problems.iter().any(Diagnostic::is_error) {
        let color = is_terminal();
        let problems = problems.iter().map(|it| convert(sources, it, color)).collect();
        return Err((CONFIG_ERROR, problems));
    }
    if !problems.is_empty() {
        note(&format!("warning: {} has warnings", path.display()));
    }
    Ok(Config { constants: config.constants, ..Config::default() })
}
