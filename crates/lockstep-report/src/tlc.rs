//! The report that TLC prints, plain or framed for tools (`-tool`).
//!
//! Every message has a number and a class. Framed, it stands between `@!@!@STARTMSG code:class`
//! and `@!@!@ENDMSG code`; plain, an error is preceded by `Error: `, a warning by `Warning: `, and
//! what only tools read is left out. The numbers, the sequence and the parts of the texts that
//! editors parse are a contract; see the snapshot tests.
//!
//! The functions of [`Tlc`] each give the text of one stage of a run, so that the command line can
//! write them as the stages happen; [`report`] gives a whole run at once.

use std::fmt::Write as _;

use crate::model::{
    Binding, CoverageKind, Diagnostic, Lasso, Location, Message, Mode, Outcome, TraceStep, Verdict,
    Violation,
};
use crate::pretty::pretty;

/// The class of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Plain information.
    Info = 0,
    /// An error.
    Error = 1,
    /// A warning.
    Warning = 3,
    /// A state of a behaviour.
    State = 4,
}

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TlcOptions {
    /// Frame messages for tools.
    pub tool: bool,
    /// Print only the variables that changed (`-difftrace`).
    pub difftrace: bool,
    /// Print no warnings (`-nowarning`).
    pub no_warning: bool,
    /// The run went on after violations (`-continue`).
    pub keep_going: bool,
}

/// What the first lines of a run say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Banner {
    /// The version of this program.
    pub version: String,
    /// How the state space is searched.
    pub mode: Mode,
    /// The seed.
    pub seed: i64,
    /// Workers.
    pub workers: usize,
    /// Processors.
    pub cores: usize,
    /// The process.
    pub pid: u32,
    /// `Linux x86_64`.
    pub system: String,
}

/// Prints the stages of a run.
#[derive(Clone, Debug, Default)]
pub struct Tlc {
    options: TlcOptions,
    warned: bool,
}

/// The current time as TLC prints it, supplied by the caller.
pub type Now<'a> = &'a str;

impl Tlc {
    /// A printer with these options.
    pub fn new(options: TlcOptions) -> Self {
        Self { options, warned: false }
    }

    /// One message, framed if so asked.
    pub fn message(&self, code: u32, class: Class, text: &str) -> String {
        if self.options.tool {
            let class = class as u8;
            return format!(
                "@!@!@STARTMSG {code}:{class} @!@!@\n{text}\n@!@!@ENDMSG {code} @!@!@\n"
            );
        }
        match class {
            Class::Error => format!("Error: {text}\n"),
            Class::Warning => format!("Warning: {text}\n"),
            Class::Info | Class::State => format!("{text}\n"),
        }
    }

    /// Version and mode.
    pub fn banner(&self, it: &Banner) -> String {
        let mut out = self.message(
            2262,
            Class::Info,
            &format!("TLC2 Version 2.20 (Lockstep {})", it.version),
        );
        let plural = if it.workers == 1 { "worker" } else { "workers" };
        let machine = format!(
            "seed {} with {} {plural} on {} cores with 0MB heap and 0MB offheap memory [pid: {}] ({}, Lockstep {}",
            it.seed, it.workers, it.cores, it.pid, it.system, it.version
        );
        let (code, text) = match it.mode {
            Mode::BreadthFirst => (
                2187,
                format!(
                    "Running breadth-first search Model-Checking with fp 0 and {machine}, MSBDiskFPSet, DiskStateQueue)."
                ),
            ),
            Mode::DepthFirst => (
                2271,
                format!("Running depth-first search Model-Checking with fp 0 and {machine})."),
            ),
            Mode::Simulate => (2188, format!("Running Random Simulation with {machine}).")),
            Mode::Generate => (2188, format!("Running Random Simulation with {machine}).")),
        };
        out += &self.message(code, Class::Info, &text);
        out
    }

    /// Before the sources are read.
    pub fn parsing_starts(&self) -> String {
        if self.options.tool {
            self.message(2220, Class::Info, "Starting SANY...")
        } else {
            String::new()
        }
    }

    /// After the sources were read: the files, then the modules in the order of their analysis.
    pub fn parsing_ends(&self, files: &[String], modules: &[String], outcome: &Outcome) -> String {
        let mut out = String::new();
        for file in files {
            let _ = writeln!(out, "Parsing file {file}");
        }
        let failed = matches!(outcome.verdict, Verdict::ParseError | Verdict::SemanticError);
        if outcome.verdict != Verdict::ParseError {
            for module in modules {
                let _ = writeln!(out, "Semantic processing of module {module}");
            }
        }
        if failed {
            out += &source_errors(outcome);
        } else {
            out += &source_warnings(outcome);
            if let Some(root) = modules.last() {
                let _ = writeln!(out, "Linting of module {root}");
            }
        }
        if self.options.tool {
            out += &self.message(2219, Class::Info, "SANY finished.");
        }
        out
    }

    /// After the model is bound.
    pub fn starting(&self, now: Now<'_>) -> String {
        self.message(2185, Class::Info, &format!("Starting... ({now})"))
    }

    /// Before a search that temporal properties are checked after.
    pub fn temporal(&self, outcome: &Outcome) -> String {
        if outcome.temporal == 0 {
            return String::new();
        }
        let text = format!(
            "Implied-temporal checking--satisfiability problem has {} branches.",
            outcome.temporal
        );
        self.message(2212, Class::Info, &text)
    }

    /// Before the initial states.
    pub fn computing_initial_states(&self, mode: Mode) -> String {
        match mode {
            Mode::BreadthFirst => self.message(2189, Class::Info, "Computing initial states..."),
            Mode::DepthFirst | Mode::Simulate | Mode::Generate => String::new(),
        }
    }

    /// After the initial states.
    pub fn initial_states(
        &self,
        mode: Mode,
        generated: u64,
        distinct: u64,
        now: Now<'_>,
    ) -> String {
        let mut out = String::new();
        if matches!(mode, Mode::Simulate | Mode::Generate) {
            out +=
                &self.message(2269, Class::Info, &format!("Computed {distinct} initial states..."));
        }
        if mode == Mode::DepthFirst {
            let text = format!(
                "Finished computing initial states: {generated} states generated, with {distinct} of them distinct."
            );
            return self.message(2208, Class::Info, &text);
        }
        if generated == distinct {
            let plural = if distinct == 1 { "state" } else { "states" };
            let text = format!(
                "Finished computing initial states: {distinct} distinct {plural} generated at {now}."
            );
            out + &self.message(2190, Class::Info, &text)
        } else {
            let plural = if generated == 1 { "state" } else { "states" };
            let text = format!(
                "Finished computing initial states: {generated} {plural} generated, with {distinct} of them distinct at {now}."
            );
            out + &self.message(2191, Class::Info, &text)
        }
    }

    /// How far the search has come. Rates are a minute.
    pub fn progress(
        &self,
        depth: u64,
        counts: (u64, u64, u64),
        rates: Option<(u64, u64)>,
        now: Now<'_>,
    ) -> String {
        let (generated, distinct, queue) = counts;
        let (per_generated, per_distinct) = match rates {
            Some((g, d)) => {
                (format!(" ({} s/min)", grouped(g)), format!(" ({} ds/min)", grouped(d)))
            }
            None => (String::new(), String::new()),
        };
        let text = format!(
            "Progress({depth}) at {now}: {} states generated{per_generated}, {} distinct states found{per_distinct}, {} states left on queue.",
            grouped(generated),
            grouped(distinct),
            grouped(queue)
        );
        self.message(2200, Class::Info, &text)
    }

    /// A warning of the run.
    pub fn warning(&mut self, it: &Message) -> String {
        if self.options.no_warning {
            return String::new();
        }
        let mut text = it.text.clone();
        if !self.options.tool && !self.warned {
            self.warned = true;
            text += "\n(Use the -nowarning option to disable this warning.)";
        }
        self.message(it.code, Class::Warning, &text)
    }

    /// Before temporal properties are checked.
    pub fn liveness_starts(&self, branches: usize, distinct: u64, now: Now<'_>) -> String {
        let branches =
            if branches > 1 { format!("{branches} branches of ") } else { String::new() };
        let text = format!(
            "Checking {branches}temporal properties for the complete state space with {distinct} total distinct states at ({now})"
        );
        self.message(2192, Class::Info, &text)
    }

    /// After temporal properties were checked.
    pub fn liveness_ends(&self, seconds: f64, now: Now<'_>) -> String {
        let text =
            format!("Finished checking temporal properties in {} at {now}", duration(seconds));
        self.message(2267, Class::Info, &text)
    }

    /// What failed, with the behaviour that led there.
    pub fn violation(&self, it: &Violation) -> String {
        let (code, mut text) = headline(it);
        if it.initial
            && matches!(it.verdict, Verdict::Invariant | Verdict::ActionProperty)
            && let Some(step) = it.trace.steps.first()
        {
            // The state is a part of the message.
            text.push('\n');
            text += &state_text(&step.state);
            return self.message(code, Class::Error, &text);
        }
        if it.initial
            && it.verdict == Verdict::EvalError
            && let Some(step) = it.trace.steps.first()
        {
            let state = state_text(&step.state);
            let text = format!("{}\nWhile working on the initial state:\n{state}", text.trim_end());
            return self.message(code, Class::Error, &text) + &self.stack(it);
        }
        let mut out = self.message(code, Class::Error, &text);
        if it.trace.steps.is_empty() {
            return out + &self.stack(it);
        }
        if it.verdict == Verdict::Liveness {
            let text = "The following behavior constitutes a counter-example:\n";
            out += &self.message(2264, Class::Error, text);
        } else {
            out += &self.message(2121, Class::Error, "The behavior up to this point is:");
        }
        out += &self.states(it);
        out + &self.stack(it)
    }

    /// The states of a behaviour and how it goes on.
    pub fn states(&self, it: &Violation) -> String {
        let mut out = String::new();
        let mut previous: Option<&TraceStep> = None;
        for step in &it.trace.steps {
            let mut shown = step.state.clone();
            if self.options.difftrace
                && let Some(previous) = previous
            {
                shown.retain(|it| !previous.state.contains(it));
            }
            let prefix = if self.options.tool { "" } else { "State " };
            let mut text = format!("{prefix}{}: {}\n", step.n, action_text(step));
            text += &conjuncts(&shown, step.state.len());
            out += &self.message(2217, Class::State, &text);
            previous = Some(step);
        }
        match &it.trace.lasso {
            None => {}
            Some(Lasso::Stuttering) => {
                let n = it.trace.steps.len() + 1;
                let text = if self.options.tool {
                    format!("{n}: Stuttering")
                } else {
                    format!("State {n}: Stuttering")
                };
                out += &self.message(2218, Class::State, &text);
            }
            Some(Lasso::BackTo { n, action }) => {
                let action = action.as_ref().map_or_else(|| "<Action>".to_owned(), action_name);
                let text = if self.options.tool {
                    format!("{n}: Back to state: {action}\n")
                } else {
                    format!("Back to state {n}: {action}\n")
                };
                out += &self.message(2122, Class::State, &text);
            }
        }
        out
    }

    fn stack(&self, it: &Violation) -> String {
        // What lacks values was not found by evaluating one more expression.
        if matches!(it.code, Some(2106 | 2109)) {
            return String::new();
        }
        let places: Vec<&Location> =
            it.stack.iter().filter_map(|frame| frame.location.as_ref()).collect();
        if places.is_empty() {
            return String::new();
        }
        let mut text = "The error occurred when TLC was evaluating the nested\n\
                        expressions at the following positions:\n"
            .to_owned();
        for (idx, it) in places.iter().enumerate() {
            let _ = writeln!(
                text,
                "{idx}. Line {}, column {} to line {}, column {} in {}",
                it.line, it.col, it.end_line, it.end_col, it.module
            );
        }
        text.push('\n');
        self.message(2103, Class::Error, &text)
    }

    /// An error of the model or of the machine: a number and a text.
    pub fn error(&self, code: u32, text: &str) -> String {
        self.message(code, Class::Error, text)
    }

    /// An error of the run that TLC has no message of its own for.
    pub fn unexpected(&self, text: &str) -> String {
        self.message(1000, Class::Error, &unexpected_text(text))
    }

    /// The end of a run: success, coverage, counts, time.
    pub fn end(&self, it: &Outcome, now: Now<'_>) -> String {
        let mut out = String::new();
        let in_initial_state = it.violations.first().is_some_and(|it| {
            it.initial && matches!(it.verdict, Verdict::Invariant | Verdict::ActionProperty)
        });
        if it.searched && !(in_initial_state && it.counts.distinct <= it.counts.initial) {
            if let Mode::Simulate | Mode::Generate = it.mode {
                out += &self.simulation_end(it);
            } else {
                out += &self.search_end(it, now);
            }
        }
        let took = if self.options.tool {
            format!("{}ms", (it.seconds * 1000.0) as u64)
        } else {
            duration(it.seconds)
        };
        out + &self.message(2186, Class::Info, &format!("Finished in {took} at ({now})"))
    }

    fn search_end(&self, it: &Outcome, now: Now<'_>) -> String {
        let mut out = String::new();
        let finished = it.limit.is_none() && !it.interrupted;
        let only_continued =
            it.verdict == Verdict::Ok || self.options.keep_going && passes_with_continue(it);
        if only_continued && finished && it.mode == Mode::BreadthFirst {
            out += &self.success(it);
        }
        if let Some(limit) = &it.limit {
            out += &self.message(
                1000,
                Class::Error,
                &format!("The run was ended by a limit: {limit}."),
            );
        }
        if it.coverage.is_some() {
            out += &self.coverage(it, now);
        }
        let counts = &it.counts;
        if it.mode == Mode::DepthFirst {
            if self.options.tool {
                let text = format!(
                    "Progress(-1) at {now}: {} states generated, {} distinct states found, -1 states left on queue.",
                    grouped(counts.generated),
                    grouped(counts.distinct)
                );
                out += &self.message(2206, Class::Info, &text);
            }
            let text = format!(
                "{} states generated, {} distinct states found.",
                counts.generated, counts.distinct
            );
            return out + &self.message(2204, Class::Info, &text);
        }
        if self.options.tool {
            let minutes = (it.seconds / 60.0).max(1e-9);
            let rates = (
                (counts.generated as f64 / minutes) as u64,
                (counts.distinct as f64 / minutes) as u64,
            );
            let shown = (counts.generated, counts.distinct, counts.queue);
            out += &self.progress(counts.depth.max(1), shown, Some(rates), now);
        }
        let text = format!(
            "{} states generated, {} distinct states found, {} states left on queue.",
            counts.generated, counts.distinct, counts.queue
        );
        out += &self.message(2199, Class::Info, &text);
        let text = format!("The depth of the complete state graph search is {}.", counts.depth);
        out += &self.message(2194, Class::Info, &text);
        // TLC leaves it out after most violations.
        let shown = only_continued || it.violations.first().is_none_or(|it| it.code == Some(2111));
        if let Some(degree) = it.outdegree.as_ref().filter(|_| shown) {
            let text = format!(
                "The average outdegree of the complete state graph is {} (minimum is {}, the maximum {} and the 95th percentile is {}).",
                degree.average.round() as u64,
                degree.minimum,
                degree.maximum,
                degree.percentile_95
            );
            out += &self.message(2268, Class::Info, &text);
        }
        out
    }

    fn success(&self, it: &Outcome) -> String {
        let optimistic = it.collision.map_or_else(
            || optimistic_collision(it.counts.generated, it.counts.distinct),
            |it| it.optimistic,
        );
        let mut text = format!(
            "Model checking completed. No error has been found.\n  \
             Estimates of the probability that TLC did not check all reachable states\n  \
             because two distinct states had the same fingerprint:\n  \
             calculated (optimistic):  val = {}",
            probability(optimistic)
        );
        if let Some(observed) = it.collision.and_then(|it| it.observed) {
            let _ = write!(
                text,
                "\n  based on the actual fingerprints:  val = {}",
                probability(observed)
            );
        }
        self.message(2193, Class::Info, &text)
    }

    fn simulation_end(&self, it: &Outcome) -> String {
        let mut out = String::new();
        if self.options.tool {
            let text = format!(
                "Progress({}) at the end: {} states generated, -1 distinct states found, -1 states left on queue.",
                it.counts.traces,
                grouped(it.counts.generated)
            );
            out += &self.message(2209, Class::Info, &text);
        } else {
            let text = format!(
                "Progress: {} states checked, {} traces generated.",
                grouped(it.counts.generated),
                grouped(it.counts.traces)
            );
            out += &self.message(2209, Class::Info, &text);
        }
        let text = format!(
            "The number of states generated: {}\nSimulation using seed {} and aril 0",
            it.counts.generated,
            it.seed.unwrap_or(0)
        );
        out + &self.message(2210, Class::Info, &text)
    }

    /// The coverage statistics.
    pub fn coverage(&self, it: &Outcome, now: Now<'_>) -> String {
        let Some(coverage) = &it.coverage else { return String::new() };
        let text = format!(
            "The coverage statistics at {now} (see https://explain.tlapl.us/module-coverage-statistics for how to interpret the following statistics)."
        );
        let mut out = self.message(2201, Class::Info, &text);
        for entry in &coverage.entries {
            let (code, counts) = match entry.kind {
                CoverageKind::Variable => (2779, format!(": {}", entry.distinct)),
                CoverageKind::Init => (2773, format!(": {}:{}", entry.distinct, entry.generated)),
                CoverageKind::Action => (2772, format!(": {}:{}", entry.distinct, entry.generated)),
                CoverageKind::Property => (2774, String::new()),
                CoverageKind::Constraint => {
                    (2778, format!(": {}:{}", entry.distinct, entry.generated))
                }
            };
            let part = entry.part.as_ref().map_or_else(String::new, |it| {
                format!(" ({} {} {} {})", it.line, it.col, it.end_line, it.end_col)
            });
            let text = format!("<{} {}{part}>{counts}", entry.name, place(&entry.location));
            out += &self.message(code, Class::Info, &text);
            if !coverage.expressions {
                continue;
            }
            for node in &entry.nodes {
                let bars = "|".repeat(node.depth);
                let (code, cost) = match node.cost {
                    Some(cost) => (2775, format!(":{cost}")),
                    None => (2221, String::new()),
                };
                let text = format!("  {bars}{}: {}{cost}", place(&node.location), node.count);
                out += &self.message(code, Class::Info, &text);
            }
        }
        out + &self.message(2202, Class::Info, "End of statistics.")
    }
}

/// A whole run in TLC's words; what stands in it beside the outcome is fixed.
pub fn report(outcome: &Outcome, options: TlcOptions, now: Now<'_>) -> String {
    let mut tlc = Tlc::new(options);
    let mut out = tlc.parsing_starts();
    out += &tlc.parsing_ends(&[], &[], outcome);
    out += &tlc.starting(now);
    out += &tlc.temporal(outcome);
    if outcome.searched {
        out += &tlc.computing_initial_states(outcome.mode);
        let counts = &outcome.counts;
        if counts.initial > 0 {
            out += &tlc.initial_states(outcome.mode, counts.initial_generated, counts.initial, now);
        }
    }
    for text in &outcome.output {
        let _ = writeln!(out, "{text}");
    }
    for warning in &outcome.warnings {
        out += &tlc.warning(warning);
    }
    out += &tlc.failures(outcome, now);
    out += &tlc.end(outcome, now);
    out
}

impl Tlc {
    /// All that failed: sources, model, then the run.
    pub fn failures(&self, outcome: &Outcome, now: Now<'_>) -> String {
        let mut out = String::new();
        match outcome.verdict {
            Verdict::ParseError | Verdict::SemanticError => {
                out += &self.error(3002, "Parsing or semantic analysis failed.");
            }
            Verdict::ConfigError | Verdict::SystemError if outcome.violations.is_empty() => {
                let configured = |it: &&Diagnostic| it.error && !it.code.starts_with("E01");
                for it in outcome.diagnostics.iter().filter(configured) {
                    let code: u32 = it
                        .code
                        .trim_start_matches(|ch: char| !ch.is_ascii_digit())
                        .parse()
                        .unwrap_or(1000);
                    // What TLC meets while it reads the file is an unexpected exception to it.
                    if (5001..=5006).contains(&code) {
                        let text = unexpected_text(&config_message(code, it))
                            .replace("java.lang.RuntimeException", "tlc2.tool.ConfigFileException");
                        out += &self.error(1000, &text);
                    } else if code == 1000 {
                        out += &self.unexpected(&it.message);
                    } else {
                        out += &self.error(code, &it.message);
                    }
                }
            }
            _ => {}
        }
        let (live, other): (Vec<&Violation>, Vec<&Violation>) =
            outcome.violations.iter().partition(|it| it.verdict == Verdict::Liveness);
        for it in other {
            out += &self.violation(it);
        }
        if outcome.temporal_checked {
            let counts = &outcome.counts;
            let shown = (counts.generated, counts.distinct, counts.queue);
            out += &self.progress(counts.depth, shown, None, now);
            out += &self.liveness_starts(outcome.temporal, counts.distinct, now);
        }
        for it in live {
            out += &self.violation(it);
        }
        if outcome.temporal_checked {
            out += &self.liveness_ends(0.0, now);
        }
        out
    }
}

/// What TLC says about a configuration that it cannot read.
fn config_message(code: u32, it: &Diagnostic) -> String {
    match (code, &it.location, it.message.split_once(": ")) {
        (5001, _, Some((file, reason))) => format!(
            "TLC encountered the following error when trying to read the configuration file \
             {file}:\n{reason}"
        ),
        (5002..=5006, Some(location), _) => format!(
            "TLC found an error in the configuration file at line {}\n{}",
            location.line, it.message
        ),
        _ => it.message.clone(),
    }
}

/// Whether TLC calls a run with `-continue` a success: it told of invariants and action properties
/// that fail, and went on to the end.
pub fn passes_with_continue(it: &Outcome) -> bool {
    it.limit.is_none()
        && !it.interrupted
        && (it.violations.iter())
            .all(|it| matches!(it.verdict, Verdict::Invariant | Verdict::ActionProperty))
}

/// A random walk as TLC stores it: a definition a state.
pub fn walk_module(name: &str, trace: &crate::model::Trace) -> String {
    let mut out = format!("---------------- MODULE {name} -----------------\n");
    for step in &trace.steps {
        let _ = write!(
            out,
            "\\* {}\nSTATE_{} == \n{}\n\n",
            action_text(step),
            step.n,
            state_text(&step.state)
        );
    }
    out.push_str("=================================================\n");
    out
}

/// The message of a violation with its number.
fn headline(it: &Violation) -> (u32, String) {
    let name = it.property.as_deref().unwrap_or("");
    let message = it.message.as_deref().unwrap_or("");
    // TLC names the place of an error within the message, unless the message has one.
    let inner = it.stack.iter().rev().find_map(|it| it.location.as_ref());
    let message = match inner {
        Some(inner) if !message.contains("line ") && it.verdict != Verdict::Assert => {
            &format!("{}\n{}", message.trim_end(), place(inner))
        }
        _ => message,
    };
    let (code, text) = match it.verdict {
        Verdict::Deadlock => (2114, "Deadlock reached.".to_owned()),
        Verdict::Invariant if it.initial && it.trace.steps.len() == 1 => {
            (2107, format!("Invariant {name} is violated by the initial state:"))
        }
        Verdict::Invariant => (2110, format!("Invariant {name} is violated.")),
        Verdict::ActionProperty if it.initial => {
            (2108, format!("Property {name} is violated by the initial state:"))
        }
        Verdict::ActionProperty => (2112, format!("Action property {name} is violated.")),
        Verdict::Liveness if name.is_empty() => {
            (2116, "Temporal properties were violated.\n".to_owned())
        }
        Verdict::Liveness if name.contains(' ') => {
            (2116, format!("Temporal properties {name} were violated.\n"))
        }
        Verdict::Liveness => (2116, format!("Temporal property {name} was violated.\n")),
        Verdict::Assumption => {
            let place = it.location.as_ref().map_or_else(|| name.to_owned(), place);
            let text = if message.is_empty() {
                (2104, format!("Assumption {place} is false."))
            } else {
                (2105, format!("Evaluating assumption {place} failed.\n{message}"))
            };
            // TLC leaves the name of a named assumption out; people look for it.
            if name.is_empty() {
                text
            } else {
                (text.0, format!("{}\nIts name is {name}.", text.1))
            }
        }
        Verdict::Postcondition => {
            let place =
                it.location.as_ref().map_or_else(String::new, |it| format!(" at {}", place(it)));
            if message.is_empty() {
                (2404, format!("Postcondition {name}{place} is false."))
            } else {
                (2405, format!("Evaluating postcondition {name}{place} failed.\n{message}"))
            }
        }
        Verdict::Assert => (2132, message.to_owned()),
        Verdict::EvalError => match it.code {
            Some(2111) => (2111, format!("Evaluating invariant {name} failed.\n{message}")),
            Some(2109) => (2109, format!("{message}\n")),
            _ if it.initial => (2102, message.to_owned()),
            Some(code @ (1005 | 2115 | 2169..=2184 | 2266 | 2283)) => (code, message.to_owned()),
            _ => (1000, unexpected_text(message)),
        },
        Verdict::Ok
        | Verdict::ParseError
        | Verdict::SemanticError
        | Verdict::ConfigError
        | Verdict::Limit
        | Verdict::SystemError => (it.code.unwrap_or(1000), message.to_owned()),
    };
    (code, text)
}

fn unexpected_text(text: &str) -> String {
    format!(
        "TLC threw an unexpected exception.\n\
         This was probably caused by an error in the spec or model.\n\
         See the User Output or TLC Console for clues to what happened.\n\
         The exception was a java.lang.RuntimeException\n\
         : {text}"
    )
}

/// `line 5, col 9 to line 7, col 22 of module S`.
pub fn place(it: &Location) -> String {
    format!(
        "line {}, col {} to line {}, col {} of module {}",
        it.line, it.col, it.end_line, it.end_col, it.module
    )
}

/// `<A(2) line 5, col 9 to line 7, col 22 of module S>`.
pub fn action_name(it: &crate::model::ActionRef) -> String {
    let mut out = format!("<{}", it.name);
    if !it.arguments.is_empty() {
        let _ = write!(out, "({})", it.arguments.join(", "));
    }
    if let Some(location) = &it.location {
        let _ = write!(out, " {}", place(location));
    }
    out.push('>');
    out
}

fn action_text(step: &TraceStep) -> String {
    step.action.as_ref().map_or_else(|| "<Initial predicate>".to_owned(), action_name)
}

/// The conjuncts of a state, each on a line; one variable stands without a bullet.
pub fn state_text(state: &[Binding]) -> String {
    conjuncts(state, state.len())
}

/// Some of the `n` conjuncts of a state.
fn conjuncts(state: &[Binding], n: usize) -> String {
    let mut out = String::new();
    for it in state {
        let bullet = if n == 1 { "" } else { "/\\ " };
        let _ = writeln!(out, "{bullet}{} = {}", it.name, pretty(&it.text));
    }
    out
}

/// Thousands separated by commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (idx, ch) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            out.push(',');
        }
        out.push(ch);
    }
    out
}

/// `00s`, `01min 02s`, `1h 02min`.
pub fn duration(seconds: f64) -> String {
    let all = seconds.max(0.0) as u64;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    if hours > 0 {
        format!("{hours}h {minutes:02}min")
    } else if minutes > 0 {
        format!("{minutes:02}min {seconds:02}s")
    } else {
        format!("{seconds:02}s")
    }
}

/// The chance that two distinct states shared a fingerprint, from the counts alone.
pub fn optimistic_collision(generated: u64, distinct: u64) -> f64 {
    distinct as f64 * generated.saturating_sub(distinct) as f64 / 2f64.powi(64)
}

/// Two significant digits, as TLC writes them: `4.6E-18`, `0.0`, `0.012`.
fn probability(it: f64) -> String {
    if it == 0.0 {
        return "0.0".to_owned();
    }
    let exponent = it.abs().log10().floor() as i32;
    let scaled = (it / 10f64.powi(exponent) * 10.0).round() / 10.0;
    if exponent >= -3 {
        let value = scaled * 10f64.powi(exponent);
        return format!("{}", (value * 1e6).round() / 1e6);
    }
    if scaled >= 10.0 {
        return format!("1.0E{}", exponent + 1);
    }
    format!("{scaled:.1}E{exponent}")
}

/// SANY's text about sources that could not be used.
fn source_errors(outcome: &Outcome) -> String {
    let mut out = String::new();
    let errors: Vec<_> = outcome.diagnostics.iter().filter(|it| it.error).collect();
    if outcome.verdict == Verdict::ParseError {
        for it in &errors {
            if it.code == "E4220" {
                let (name, location) = (it.message.split('`').nth(1), it.location.as_ref());
                let importer = location.map_or("", |it| it.module.as_str());
                let text = match name {
                    Some(name) => format!(
                        "Cannot find source file for module {name} imported in module {importer}."
                    ),
                    None => it.message.clone(),
                };
                let _ = write!(
                    out,
                    "\nFatal errors while parsing TLA+ spec in file {0}\n\nIn module {importer}\n\n{text}\n\
                     *** Errors: 1\n\nIn module {importer}\n\n{text}\n\n\n\n",
                    outcome.spec
                );
                return out;
            }
            let Some(location) = &it.location else {
                let _ = write!(
                    out,
                    "\nFatal errors while parsing TLA+ spec in file {}\n\n{}\n*** Errors: 1\n\n{}\n\n\n\n",
                    outcome.spec, it.message, it.message
                );
                return out;
            };
            let _ = write!(
                out,
                "***Parse Error***\n{}\nEncountered {:?} at line {}, column {}\n\n\
                 Residual stack trace follows:\nModule {} (line {}, column {}).\n\n",
                it.message,
                it.found,
                location.line,
                location.col,
                location.module,
                location.line,
                location.col
            );
        }
        let _ = write!(
            out,
            "\nFatal errors while parsing TLA+ spec in file {}\n\n\
             In module {}\n\nCould not parse module {} from file {}.tla\n*** Errors: {}\n\n",
            outcome.spec,
            outcome.spec,
            outcome.spec,
            outcome.spec,
            errors.len()
        );
        return out;
    }
    let _ = write!(out, "Semantic errors:\n\n*** Errors: {}\n\n", errors.len());
    for it in &errors {
        match &it.location {
            Some(location) => {
                let _ = write!(out, "{}\n\n{}\n\n\n", place(location), sany_message(it));
            }
            None => {
                let _ = write!(out, "Unknown location\n\n{}\n\n\n", it.message);
            }
        }
    }
    out
}

/// SANY's words where tools match them.
fn sany_message(it: &Diagnostic) -> String {
    match (it.code.as_str(), it.message.split('`').nth(1)) {
        ("E4200", Some(name)) => format!("Unknown operator: `{name}'."),
        _ => it.message.clone(),
    }
}

fn source_warnings(outcome: &Outcome) -> String {
    let mut out = String::new();
    let warnings: Vec<_> = (outcome.diagnostics.iter())
        .filter(|it| !it.error && it.location.as_ref().is_some_and(|it| it.module != ".cfg"))
        .collect();
    if warnings.is_empty() {
        return out;
    }
    let _ = write!(out, "*** Warnings: {}\n\n", warnings.len());
    for it in warnings {
        if let Some(location) = &it.location {
            let _ = write!(out, "{}\n\n{}\n\n\n", place(location), it.message);
        }
    }
    out
}
