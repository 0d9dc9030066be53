//! The report for people: one line that says what the run came to, the behaviour with what changed
//! marked, the chain of definitions behind an error, counts, and a hint what to do next.

use crate::model::{
    ActionRef, Coverage, CoverageKind, Frame, Lasso, Location, Outcome, Trace, TraceStep, Verdict,
    Violation,
};
use crate::pretty::pretty;

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextOptions {
    /// Mark with colours of a terminal.
    pub color: bool,
}

/// The report of a run.
pub fn report(it: &Outcome, options: TextOptions) -> String {
    let mut text = Text { options, out: String::new() };
    text.whole(it);
    text.out
}

/// The report without colours.
pub fn render(it: &Outcome) -> String {
    report(it, TextOptions::default())
}

/// One phrase that says what the run came to.
pub fn headline(it: &Outcome) -> String {
    match it.violations.first() {
        Some(first) => violation_headline(first),
        None => match it.verdict {
            Verdict::Ok if it.interrupted => "stopped before the end; no error so far".to_owned(),
            Verdict::Ok => "no error found".to_owned(),
            Verdict::ParseError => "the specification does not parse".to_owned(),
            Verdict::SemanticError => "the specification has errors".to_owned(),
            Verdict::ConfigError => "the model does not fit the specification".to_owned(),
            Verdict::Limit => {
                let limit = it.limit.as_deref().unwrap_or("a limit");
                format!("ended by {limit}; no error so far")
            }
            Verdict::SystemError => "the run could not be carried out".to_owned(),
            Verdict::Deadlock
            | Verdict::Invariant
            | Verdict::ActionProperty
            | Verdict::Liveness
            | Verdict::Assumption
            | Verdict::Postcondition
            | Verdict::Assert
            | Verdict::EvalError => it.verdict.text().to_owned(),
        },
    }
}

fn violation_headline(it: &Violation) -> String {
    let name = it.property.as_deref().unwrap_or("");
    let initial = if it.initial { " by an initial state" } else { "" };
    match it.verdict {
        Verdict::Deadlock => "deadlock: a state without successor".to_owned(),
        Verdict::Invariant => format!("invariant {name} is violated{initial}"),
        Verdict::ActionProperty if it.initial => {
            format!("property {name} is violated by an initial state")
        }
        Verdict::ActionProperty => format!("action property {name} is violated"),
        Verdict::Liveness => format!("temporal property {name} is violated"),
        Verdict::Assumption if it.message.is_some() => {
            format!("assumption {name} cannot be evaluated").replace("  ", " ")
        }
        Verdict::Assumption => format!("assumption {name} is false").replace("  ", " "),
        Verdict::Postcondition if it.message.is_some() => {
            format!("postcondition {name} cannot be evaluated")
        }
        Verdict::Postcondition => format!("postcondition {name} is false"),
        Verdict::Assert => "an assertion failed".to_owned(),
        Verdict::EvalError if name.is_empty() => "an expression has no value".to_owned(),
        Verdict::EvalError => format!("{name} has no value"),
        Verdict::ConfigError if !name.is_empty() => format!("property {name} says nothing"),
        Verdict::Ok
        | Verdict::ParseError
        | Verdict::SemanticError
        | Verdict::ConfigError
        | Verdict::Limit
        | Verdict::SystemError => it.verdict.text().to_owned(),
    }
}

struct Text {
    options: TextOptions,
    out: String,
}

/// The colours of a terminal.
#[derive(Clone, Copy)]
enum Paint {
    Good,
    Bad,
    Changed,
    Action,
    Faint,
    Strong,
}

impl Text {
    fn paint(&self, paint: Paint, text: &str) -> String {
        if !self.options.color {
            return text.to_owned();
        }
        let code = match paint {
            Paint::Good => "32;1",
            Paint::Bad => "31;1",
            Paint::Changed => "33",
            Paint::Action => "36;1",
            Paint::Faint => "2",
            Paint::Strong => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn whole(&mut self, it: &Outcome) {
        for diagnostic in &it.diagnostics {
            if diagnostic.rendered.is_empty() {
                let kind = if diagnostic.error { "error" } else { "warning" };
                let place = diagnostic.location.as_ref().map(short).unwrap_or_default();
                let place = if place.is_empty() { place } else { format!("{place}: ") };
                self.line(&format!("{kind}[{}]: {place}{}", diagnostic.code, diagnostic.message));
                for note in &diagnostic.notes {
                    self.line(&format!("  note: {note}"));
                }
                if let Some(help) = &diagnostic.help {
                    self.line(&format!("  help: {help}"));
                }
            } else {
                self.line(diagnostic.rendered.trim_end());
            }
        }
        for output in &it.output {
            self.line(output);
        }
        for warning in &it.warnings {
            self.line(&format!("warning[{}]: {}", warning.code, warning.text));
        }
        let good = it.exit_status() == 0;
        let headline = headline(it);
        let headline = self.paint(if good { Paint::Good } else { Paint::Bad }, &headline);
        let spec = self.paint(Paint::Strong, &it.spec);
        self.line(&format!("{spec}: {headline}"));
        for (idx, violation) in it.violations.iter().enumerate() {
            if idx > 0 {
                let headline = self.paint(Paint::Bad, &violation_headline(violation));
                self.line(&format!("\n{}: {headline}", it.spec));
            }
            self.violation(violation);
        }
        self.counts(it);
        for note in &it.notes {
            self.line(&format!("note: {note}"));
        }
        for hint in hints(it) {
            let text = self.paint(Paint::Faint, &format!("hint: {hint}"));
            self.line(&text);
        }
    }

    fn violation(&mut self, it: &Violation) {
        // An excerpt has the message and the innermost place.
        let excerpt = !it.rendered.is_empty();
        if excerpt {
            self.line(it.rendered.trim_end());
        } else if let Some(message) = &it.message {
            for line in message.trim_end().lines() {
                self.line(&format!("  {line}"));
            }
        }
        if let Some(location) = it.location.as_ref().filter(|_| !excerpt) {
            self.line(&format!("  at {}", short(location)));
        }
        self.chain(&it.stack, excerpt);
        if !it.trace.steps.is_empty() {
            self.trace(&it.trace);
        }
    }

    /// The definitions that led to an error, innermost first; of a long chain, both ends.
    fn chain(&mut self, stack: &[Frame], excerpt: bool) {
        const ENDS: usize = 6;
        let chain: Vec<&Frame> = (stack.iter().rev())
            .filter(|it| it.location.is_some())
            .skip(usize::from(excerpt))
            .collect();
        for (idx, frame) in chain.iter().enumerate() {
            if chain.len() > 2 * ENDS && (ENDS..chain.len() - ENDS).contains(&idx) {
                if idx == ENDS {
                    // Of very long chains not all is kept.
                    let more = chain.len() - 2 * ENDS;
                    let more = if more > 900 { "many".to_owned() } else { more.to_string() };
                    self.line(&format!("  … {more} more …"));
                }
                continue;
            }
            let place = frame.location.as_ref().map(short).unwrap_or_default();
            let text = Some(frame.text.as_str()).filter(|it| !it.is_empty() && *it != frame.what);
            let text = text.map(|it| format!(": {it}")).unwrap_or_default();
            let what = match frame.what.as_str() {
                "" => "at".to_owned(),
                what => format!("in {what}, at"),
            };
            self.line(&format!("  {what} {place}{text}"));
        }
    }

    fn trace(&mut self, trace: &Trace) {
        let n = trace.steps.len();
        let states = if n == 1 { "state" } else { "states" };
        self.line(&format!("\nBehavior of {n} {states} (* marks what a step changed):\n"));
        let mut previous: Option<&TraceStep> = None;
        for step in &trace.steps {
            let title = match &step.action {
                None => self.paint(Paint::Action, "Initial state"),
                Some(action) => self.action(action),
            };
            self.line(&format!("{:>3}  {title}", step.n));
            let width = step.state.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
            for binding in &step.state {
                let changed = previous.is_some_and(|it| !it.state.contains(binding));
                let mark = if changed { "*" } else { " " };
                let lines = pretty(&binding.text).replace('\n', "\n         ");
                let text = format!("{mark} {:width$} = {lines}", binding.name);
                let text = if changed { self.paint(Paint::Changed, &text) } else { text };
                self.line(&format!("     {text}"));
            }
            previous = Some(step);
        }
        match &trace.lasso {
            None => {}
            Some(Lasso::Stuttering) => {
                self.line("     and then nothing changes for ever (stuttering)");
            }
            Some(Lasso::BackTo { n, action }) => {
                let by = action.as_ref().map(|it| format!(" by {}", self.action(it)));
                self.line(&format!("     and back to state {n}{}", by.unwrap_or_default()));
            }
        }
        self.line("");
    }

    fn action(&self, it: &ActionRef) -> String {
        let arguments = if it.arguments.is_empty() {
            String::new()
        } else {
            format!("({})", it.arguments.join(", "))
        };
        let name = self.paint(Paint::Action, &format!("{}{arguments}", it.name));
        match &it.location {
            Some(location) => {
                format!("{name}  {}", self.paint(Paint::Faint, &short(location)))
            }
            None => name,
        }
    }

    fn counts(&mut self, it: &Outcome) {
        if !it.searched {
            return;
        }
        let counts = &it.counts;
        let workers = if it.workers == 1 { "worker" } else { "workers" };
        let speed = if it.seconds >= 0.5 {
            format!(", {} states a second", (counts.generated as f64 / it.seconds) as u64)
        } else {
            String::new()
        };
        let how = format!("{} {workers}, {:.3} s{speed}", it.workers, it.seconds);
        let found = if counts.traces > 0 {
            format!("{}, {}", number(counts.traces, "behavior"), number(counts.generated, "state"))
        } else {
            let generated = number(counts.generated, "state");
            format!("{generated} generated, {} distinct", counts.distinct)
        };
        let left =
            if counts.queue > 0 { format!(", {} left", counts.queue) } else { String::new() };
        let depth =
            if counts.depth > 0 { format!(", depth {}", counts.depth) } else { String::new() };
        self.line(&format!("{found}{left}{depth} ({how})"));
        for (name, n) in it.pruned.iter().filter(|(_, n)| *n > 0) {
            let what = if *n == 1 { "state or step" } else { "states and steps" };
            self.line(&format!("note: constraint {name} kept out {n} {what}"));
        }
        for action in &it.never_taken {
            let place = action.location.as_ref().map_or_else(String::new, short);
            self.line(&format!("note: action {} was never taken ({place})", action.name));
        }
        if let Some(coverage) = &it.coverage {
            self.coverage(coverage);
        }
    }

    fn coverage(&mut self, it: &Coverage) {
        self.line("");
        for entry in &it.entries {
            let place = short(entry.part.as_ref().unwrap_or(&entry.location));
            let (name, new, all) = (&entry.name, entry.distinct, entry.generated);
            let text = match entry.kind {
                CoverageKind::Variable => {
                    format!("variable {name}: {new} values in new states ({place})")
                }
                CoverageKind::Init => format!("{name}: {new} of {all} initial states ({place})"),
                CoverageKind::Action => {
                    format!("{name}: {new} of {all} states were new ({place})")
                }
                CoverageKind::Property => format!("{name} ({place})"),
                CoverageKind::Constraint => format!("{name}: held {new} of {all} times ({place})"),
            };
            self.line(&text);
            for node in &entry.nodes {
                let cost = node.cost.map_or_else(String::new, |it| format!(", {it} steps"));
                let indent = "  ".repeat(node.depth + 1);
                let at = short(&node.location);
                self.line(&format!("{indent}{at}-{}: {}{cost}", node.location.end_col, node.count));
            }
        }
    }
}

/// `1 state`, `2 states`.
fn number(n: u64, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

/// `DieHard.tla:68:18`, or the module's name where there is no file.
pub fn short(it: &Location) -> String {
    let file = if it.file.is_empty() { &it.module } else { &it.file };
    format!("{file}:{}:{}", it.line, it.col)
}

/// What to do next.
fn hints(it: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    match it.verdict {
        Verdict::Deadlock => out.push(
            "if the specification is meant to end there, use --no-deadlock or CHECK_DEADLOCK FALSE"
                .to_owned(),
        ),
        Verdict::Ok if it.searched && it.counts.generated == 0 && it.counts.traces == 0 => {
            out.push(
                "there is no initial state, so nothing was checked: is the initial predicate \
                 satisfiable?"
                    .to_owned(),
            );
        }
        Verdict::Limit => out.push(
            "raise the limit, or make the model smaller with CONSTRAINT, SYMMETRY or smaller \
             constants"
                .to_owned(),
        ),
        Verdict::Liveness if it.trace().is_some_and(|it| it.lasso == Some(Lasso::Stuttering)) => {
            out.push(
                "nothing obliges a step to be taken: is a fairness condition (WF or SF) missing?"
                    .to_owned(),
            );
        }
        Verdict::Ok
        | Verdict::Invariant
        | Verdict::ActionProperty
        | Verdict::Liveness
        | Verdict::Assumption
        | Verdict::Postcondition
        | Verdict::Assert
        | Verdict::EvalError
        | Verdict::ParseError
        | Verdict::SemanticError
        | Verdict::ConfigError
        | Verdict::SystemError => {}
    }
    out
}
