//! `lockstep trace`: opens a stored behaviour and shows it in any format, whole or in part, or
//! beside another one.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;

use lockstep_report as report;
use report::{Outcome, TraceStep};

use crate::arguments::TraceArguments;
use crate::files::{read, write};
use crate::output::{Output, note};

/// The exit status of a file that holds no behaviour.
const UNREADABLE: u8 = 150;
/// The exit status of behaviours that differ, as that of `diff`.
const DIFFERENT: u8 = 1;

pub(crate) fn run(arguments: &TraceArguments, out: &mut Output) -> u8 {
    let mut outcome = match open(&arguments.file) {
        Ok(it) => it,
        Err(error) => return fail(&error),
    };
    project(&mut outcome, arguments);
    if let Some(other) = &arguments.diff {
        let mut other = match open(other) {
            Ok(it) => it,
            Err(error) => return fail(&error),
        };
        project(&mut other, arguments);
        let text = difference(&outcome, &other);
        let status = if text.is_empty() { 0 } else { DIFFERENT };
        out.text(if text.is_empty() { "the behaviors are the same\n" } else { &text });
        return status;
    }
    let Some(format) = report::format(&arguments.format) else {
        return fail(&format!("there is no format {}", arguments.format));
    };
    let color = std::io::stdout().is_terminal() && arguments.output.is_none();
    let text = match (format.name, &arguments.output) {
        ("text", _) => report::text::report(&outcome, report::text::TextOptions { color }),
        ("tla", Some(file)) => report::tla::module(&outcome, &crate::parse::module_name(file)),
        _ => (format.render)(&outcome),
    };
    match &arguments.output {
        None => out.text(&text),
        Some(file) => {
            if let Err(error) = write(file, &text) {
                note(&format!("lockstep: {error}"));
                return crate::SYSTEM_ERROR;
            }
        }
    }
    0
}

fn fail(error: &str) -> u8 {
    note(&format!("error: {error}"));
    UNREADABLE
}

fn open(path: &Path) -> Result<Outcome, String> {
    let shown = path.display();
    let text = read(path).map_err(|error| error.about(path))?;
    report::read::read(&text).map_err(|error| format!("{shown}: {error}"))
}

/// Keeps the variables asked for, in their order.
fn project(outcome: &mut Outcome, arguments: &TraceArguments) {
    let kept = |name: &String| {
        (arguments.only.is_empty() || arguments.only.contains(name))
            && !arguments.hide.contains(name)
    };
    outcome.variables.retain(kept);
    for violation in &mut outcome.violations {
        for step in &mut violation.trace.steps {
            step.state.retain(|it| kept(&it.name));
        }
    }
}

/// What differs, step by step; empty when nothing does.
fn difference(one: &Outcome, two: &Outcome) -> String {
    let steps = |it: &Outcome| it.trace().map_or_else(Vec::new, |it| it.steps.clone());
    let (one, two) = (steps(one), steps(two));
    let mut out = String::new();
    for idx in 0..one.len().max(two.len()) {
        match (one.get(idx), two.get(idx)) {
            (Some(a), Some(b)) => step_difference(a, b, &mut out),
            (Some(a), None) => {
                let _ = writeln!(out, "state {}: only in the first: {}", a.n, name(a));
            }
            (None, Some(b)) => {
                let _ = writeln!(out, "state {}: only in the second: {}", b.n, name(b));
            }
            (None, None) => {}
        }
    }
    out
}

fn name(step: &TraceStep) -> String {
    step.action.as_ref().map_or_else(|| "initial state".to_owned(), |it| it.name.clone())
}

fn step_difference(a: &TraceStep, b: &TraceStep, out: &mut String) {
    let mut lines = Vec::new();
    if name(a) != name(b) {
        lines.push(format!("  action: {} | {}", name(a), name(b)));
    }
    let mut names: Vec<&str> = a.state.iter().map(|it| it.name.as_str()).collect();
    names.extend(
        b.state
            .iter()
            .map(|it| it.name.as_str())
            .filter(|it| !a.state.iter().any(|known| known.name == *it)),
    );
    for name in names {
        let value = |step: &TraceStep| {
            let found = step.state.iter().find(|it| it.name == name);
            found.map_or_else(|| "(absent)".to_owned(), |it| it.text.clone())
        };
        let (one, two) = (value(a), value(b));
        if one != two {
            lines.push(format!("  {name}: {one} | {two}"));
        }
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "state {}:\n{}", a.n, lines.join("\n"));
    }
}
