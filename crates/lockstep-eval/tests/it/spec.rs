//! Makes programs of TLA+ text, and tables of expressions with their values.

use std::rc::Rc;
use std::sync::Arc;

use lockstep_eval::error::EvalError;
use lockstep_eval::ir::Program;
use lockstep_eval::stdlib::module_source;
use lockstep_eval::value::sets::is_enumerable;
use lockstep_eval::value::{LazyKind, Value, force};
use lockstep_eval::{Evaluator, Options, State, lower};
use lockstep_semantic::config::ConfigName;
use lockstep_semantic::{ModuleSource, ModuleText, RootText, analyse, parse_config};
use lockstep_syntax::render::render;
use lockstep_syntax::{SourceFile, Span};

/// The modules that are built in.
struct Library;

impl ModuleSource for Library {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        let text = module_source(name).map(str::to_owned);
        Ok(text.map(|text| ModuleText { path: format!("<built-in {name}>"), text }))
    }
}

/// The lines before the body of a module made by [`program`].
pub(crate) const LINES_BEFORE: u32 = 2;

/// The program of a module body and a model.
pub(crate) fn program(body: &str, model: &str, options: &Options) -> Result<Program, String> {
    let text = format!(
        "---- MODULE Test ----\nEXTENDS Integers, Sequences, FiniteSets, Bags, TLC\n{body}\n====\n"
    );
    let root = RootText { name: "Test".to_owned(), path: "Test.tla".to_owned(), text };
    let mut analysis = analyse(&Library, root);
    let sources = &mut analysis.spec.sources;
    if analysis.diagnostics.iter().any(lockstep_syntax::Diagnostic::is_error) {
        return Err(render(sources, &analysis.diagnostics, false));
    }
    let file = sources.add(SourceFile::new("Test.cfg", model));
    let (mut config, problems) = parse_config(file, sources.file(file));
    if !problems.is_empty() {
        return Err(render(sources, &problems, false));
    }
    if options.expressions_only {
        config.alias = Some(ConfigName { name: "_Value".into(), span: Span::new(file, 0, 0) });
    }
    lower(&analysis.spec, &config, options)
        .map_err(|problems| render(&analysis.spec.sources, &problems, false))
}

/// A program that has to be right.
pub(crate) fn valid(body: &str, model: &str) -> Arc<Program> {
    match program(body, model, &Options::default()) {
        Ok(program) => Arc::new(program),
        Err(text) => panic!("{body}\n{text}"),
    }
}

/// The value of an expression after some definitions, as TLC prints it, or the error.
pub(crate) fn evaluate(
    before: &str,
    expression: &str,
    as_written: bool,
) -> Result<String, Box<EvalError>> {
    let body = format!("{before}\n_Value == {expression}");
    let options = Options { expressions_only: true, as_written, ..Options::default() };
    let program = program(&body, "", &options).unwrap_or_else(|text| panic!("{body}\n{text}"));
    let entry = program.alias.as_ref().expect("an expression").entry.clone();
    let mut evaluator = Evaluator::new(Arc::new(program));
    let value = evaluator.eval_constant(&entry)?;
    let symbolic = match &value {
        Value::Lazy(node) => match node.kind() {
            LazyKind::Lambda { domain, .. } => !is_enumerable(domain),
            _ => !is_enumerable(&value),
        },
        _ => false,
    };
    let value = if symbolic { value } else { force(evaluator.ctx(), &value)? };
    Ok(evaluator.text(&value))
}

/// Checks a table of expressions.
pub(crate) fn check(cases: &str) {
    check_after("", cases);
}

/// Checks a table of expressions that use definitions.
pub(crate) fn check_after(before: &str, cases: &str) {
    let mut n = 0;
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty()) {
        n += 1;
        for as_written in [false, true] {
            let (expression, expected, fails) = match line.rsplit_once(" => ") {
                Some((expression, value)) => (expression, value, false),
                None => match line.rsplit_once(" !! ") {
                    Some((expression, words)) => (expression, words, true),
                    None => panic!("no value in {line}"),
                },
            };
            match evaluate(before, expression.trim(), as_written) {
                Ok(value) => assert!(
                    !fails && value == expected.trim(),
                    "{expression}\n  gives {value}\n  not   {expected}"
                ),
                Err(error) => {
                    let message = error.message.replace('\n', " ");
                    assert!(
                        fails && message.contains(expected.trim()),
                        "{expression}\n  fails: {message}\n  not    {expected}"
                    );
                }
            }
        }
    }
    assert!(n > 0, "an empty table");
}

/// The values of a state, separated by commas.
pub(crate) fn text(evaluator: &mut Evaluator, state: &State) -> String {
    let values: Vec<Value> = state.values().to_vec();
    let list: Vec<String> = values.iter().map(|it| evaluator.text(it)).collect();
    list.join(", ")
}

/// The initial states in order, and the error that ended them.
pub(crate) fn initial(program: &Arc<Program>) -> (Vec<State>, Option<Box<EvalError>>) {
    let mut evaluator = Evaluator::new(program.clone());
    let mut list = Vec::new();
    let result = evaluator.initial_states(&mut |state| {
        list.push(state);
        true
    });
    (list, result.err())
}

/// The steps from a state in order, and the error that ended them.
pub(crate) fn steps(
    evaluator: &mut Evaluator,
    state: &State,
) -> (Vec<(usize, State)>, Option<Box<EvalError>>) {
    let mut list = Vec::new();
    let result = evaluator.successors(state, &mut |action, next| {
        list.push((action.index(), next));
        true
    });
    (list, result.err())
}

/// The steps of `Next` from the only state that satisfies `Init`, as `1, 2 | 1, 3`. An error comes
/// last, as `!! message`.
pub(crate) fn steps_of(body: &str) -> String {
    let program = valid(body, "INIT Init\nNEXT Next\n");
    let (states, error) = initial(&program);
    assert!(error.is_none(), "{body}\n{error:?}");
    assert_eq!(states.len(), 1, "{body}");
    let mut evaluator = Evaluator::new(program);
    // States belong to no evaluator, but values that are kept by number do.
    let state = State::new(Rc::from(states[0].values()));
    let (list, error) = steps(&mut evaluator, &state);
    let mut out: Vec<String> = list.iter().map(|(_, it)| text(&mut evaluator, it)).collect();
    if let Some(error) = error {
        out.push(format!("!! {}", error.message.replace('\n', " ")));
    }
    out.join(" | ")
}
