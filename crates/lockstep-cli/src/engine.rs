//! Runs the checker for a request and puts what it came to into a report.
//!
//! The only file that knows both the checker's outcome and the report's.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use lockstep_eval::error::{EvalError, Partial};
use lockstep_eval::ir::{EntryPoint, Node, Program};
use lockstep_eval::value::{Sym, Value, decode, to_text};
use lockstep_eval::{Evaluator, State};
use lockstep_explore::{Command, Limit, Progress, Stop};
use lockstep_report as report;
use lockstep_syntax::render::render;
use lockstep_syntax::{Diagnostic, Span};
use lockstep_tla::{
    Ended, Fault, Graph, Loop, Outcome as Checked, Phase, Settings, Trace, Violation,
    ViolationKind, Walks, check_kept, simulate,
};
use report::{Counts, Message, Outcome, Verdict};

use crate::checkpoint::{Event, Store};
use crate::diagnostics;
use crate::host;
use crate::listener::Listener;
use crate::load::{DefinitionPlace, Loaded, load, property_name};
use crate::output::is_terminal;
use crate::request::Request;
use crate::values;

/// Set by Ctrl-C.
fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let handled = Arc::clone(&flag);
    // The first asks for the summary so far, the second ends the process. What sends a signal to a
    // process and to its group sends it twice at once.
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        handled.store(true, Ordering::SeqCst);
        if first.get_or_insert_with(Instant::now).elapsed().as_millis() > 200 {
            #[expect(clippy::exit, reason = "the user insists")]
            std::process::exit(130);
        }
    });
    flag
}

/// Checks what `request` asks for.
pub(crate) fn run(request: &Request, listener: &mut dyn Listener) -> Outcome {
    let start = Instant::now();
    let file = request.spec.display().to_string();
    let mut outcome = Outcome::new(crate::parse::module_name(&request.spec), file);
    outcome.workers = workers(request);
    outcome.seed = request.seed;
    if request.walks.is_some() && outcome.seed.is_none() {
        // A seed that differs from run to run; the report says which, so that a run can be repeated.
        outcome.seed = Some(crate::clock::nanoseconds() as i64);
    }
    if let Some(what) = unsupported(request) {
        outcome.verdict = Verdict::SystemError;
        outcome
            .diagnostics
            .push(diagnostics::plain("1000", format!("{what} is not supported yet")));
        return outcome;
    }
    if let Some(Loaded { program, definitions }) = load(request, listener, &mut outcome) {
        if !request.ignore_liveness {
            outcome.temporal = program.temporal_properties.len();
        }
        for name in initial_only(&program) {
            let text = format!(
                "The formula {name} is a state-level formula, but it was used as a PROPERTY (or \
                 PROPERTIES), where a temporal formula is typically expected. It is checked in \
                 the initial states only. To check it in all reachable states, use INVARIANT \
                 {name}, or []{name} as the property."
            );
            outcome.warnings.push(Message { code: 2255, text });
        }
        listener.started(&outcome);
        for warning in &outcome.warnings {
            listener.warning(warning);
        }
        let program = Arc::new(program);
        search(request, &program, &definitions, listener, &mut outcome, start);
    }
    outcome.seconds = start.elapsed().as_secs_f64();
    outcome
}

/// The names under PROPERTY that mean state predicates alone, each once.
fn initial_only(program: &Program) -> Vec<&str> {
    let later: Vec<&str> = program.invariants[program.n_plain_invariants..]
        .iter()
        .chain(&program.action_properties)
        .map(|it| it.name.as_str())
        .chain(program.temporal_properties.iter().map(|it| it.name.as_str()))
        .chain(program.constant_statements.iter().map(|(_, it)| it.name.as_str()))
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for it in &program.initial_properties {
        let name = it.name.as_str();
        if !later.contains(&name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What was asked for and cannot be had. Refused by name: doing something else instead would pass
/// for having done it.
fn unsupported(request: &Request) -> Option<&'static str> {
    match request {
        Request { follow: Some(_), walks: Some(_), .. } => {
            Some("following a stored behavior in a random walk")
        }
        Request { recover: Some(_), dump: true, .. } => {
            Some("recovery from a checkpoint together with a dump of all states")
        }
        Request { recover: Some(_), dfid: Some(_), .. } => Some("recovery of a depth-first search"),
        Request { recover: Some(_), walks: Some(_), .. } => Some("recovery of random walks"),
        _ => None,
    }
}

fn workers(request: &Request) -> usize {
    match request.workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

fn counts_of(it: &Progress) -> Counts {
    Counts {
        generated: it.counters.generated,
        distinct: it.counters.distinct,
        queue: it.counters.queue,
        depth: u64::from(it.counters.depth),
        ..Counts::default()
    }
}

fn search(
    request: &Request,
    program: &Arc<Program>,
    definitions: &[DefinitionPlace],
    listener: &mut dyn Listener,
    outcome: &mut Outcome,
    start: Instant,
) {
    let stop = stop_flag();
    let allow_exec = request.allow_exec;
    let settings = Settings {
        workers: workers(request),
        check_deadlock: request.check_deadlock,
        continue_after_violation: request.keep_going,
        ignore_liveness: request.ignore_liveness,
        plain: request.plain,
        depth_first: request.dfid.map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
        max_states: request.max_states,
        max_depth: request.max_depth.map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
        max_memory: request.max_memory,
        coverage: request.coverage,
        graph: request.dump,
        show_view: request.show_view,
        properties: request.properties.clone(),
        seed: outcome.seed.unwrap_or(0),
        max_set_size: request.max_set_size.map_or(1_000_000, |it| it as usize),
        stop_at_once: request.stop_at_once,
        stop: Some(Arc::clone(&stop)),
        host: Some(Arc::new(move || host::machine(allow_exec))),
        ..Settings::default()
    };
    let mut told_initial = false;
    let events = Rc::new(RefCell::new(Vec::new()));
    let mut store = Store::new(request, program, &events);
    let mut recover = request.recover.as_ref().map(|it| it.display().to_string());
    let mut observe = |progress: &Progress, printed: &[String]| {
        for event in events.borrow_mut().drain(..) {
            match event {
                Event::Begun(folder) => listener.checkpointing(&folder),
                Event::Written => listener.checkpointed(),
                Event::Failed(text) => listener.warning(&Message { code: 1000, text }),
            }
        }
        let mut counts = counts_of(progress);
        if progress.at_fence
            && counts.generated > 0
            && let Some(folder) = recover.take()
        {
            told_initial = true;
            listener.recovered(&folder, &counts);
        }
        let first = request.walks.is_none() && progress.at_fence && counts.depth <= 1;
        if first && !told_initial && counts.generated > 0 {
            told_initial = true;
            counts.initial = counts.distinct;
            counts.initial_generated = counts.generated;
            printed.iter().for_each(|it| listener.printed(it));
            listener.initial_states(&counts);
        } else {
            printed.iter().for_each(|it| listener.printed(it));
        }
        listener.progress(&counts);
        match request.max_time {
            Some(limit) if start.elapsed() >= limit => Command::Stop(Limit::Time),
            _ => Command::Continue,
        }
    };
    let mut unwritten = None;
    let mut checked = match &request.walks {
        None => check_kept(program, &settings, &mut store, &mut observe),
        Some(walks) => {
            let wanted = Walks {
                number: walks.number,
                depth: walks.depth.map_or(100, |it| u32::try_from(it).unwrap_or(u32::MAX)),
                seed: outcome.seed.unwrap_or(0) as u64,
                show: walks.file.is_some(),
                generate: walks.generate,
            };
            let mut walked = |n: u64, trace: &Trace, evaluator: &mut Evaluator| {
                let Some(prefix) = walks.file.as_ref().filter(|_| unwritten.is_none()) else {
                    return;
                };
                let shown = self::trace(program, evaluator, trace);
                let name = format!("{prefix}_0_{n}");
                let text = report::tlc::walk_module(&name, &shown);
                unwritten = crate::files::write(std::path::Path::new(&name), &text).err();
            };
            simulate(program, &settings, &wanted, &mut walked, &mut observe)
        }
    };
    if let Some(error) = unwritten {
        outcome.notes.push(error);
    }
    if let Some(error) = checked.unusable.take() {
        outcome.verdict = Verdict::SystemError;
        outcome.diagnostics.push(diagnostics::plain("1000", error));
        return;
    }
    if checked.ended == Ended::Complete {
        store.remove();
    }
    fill(request, program, &mut checked, outcome);
    if request.coverage {
        outcome.coverage = Some(crate::coverage::coverage(program, definitions, &checked));
    }
    if outcome.searched && !told_initial {
        listener.initial_states(&outcome.counts);
    }
    checked.printed.iter().for_each(|it| listener.printed(it));
    for it in &checked.warnings {
        let mut text = it.message.clone();
        if let Some(span) = it.span
            && !text.contains("line ")
        {
            text += &format!("\n{}", program.location(span));
        }
        let message = Message { code: it.code, text };
        listener.warning(&message);
        outcome.warnings.push(message);
    }
}

fn fill(request: &Request, program: &Program, checked: &mut Checked, outcome: &mut Outcome) {
    let statistics = &checked.statistics;
    outcome.counts = Counts {
        generated: statistics.counters.generated,
        distinct: statistics.counters.distinct,
        queue: statistics.counters.queue,
        depth: u64::from(statistics.counters.depth),
        initial: statistics.initial_distinct,
        initial_generated: statistics.initial_generated,
        traces: 0,
    };
    outcome.outdegree = statistics.outdegree.map(|it| report::Outdegree {
        average: it.average,
        minimum: u64::from(it.minimum),
        maximum: u64::from(it.maximum),
        percentile_95: u64::from(it.percentile_95),
    });
    outcome.collision =
        Some(report::Collision { optimistic: statistics.collision_probability(), observed: None });
    if request.dfid.is_some() {
        outcome.mode = report::Mode::DepthFirst;
    }
    if let Some(walks) = &checked.walks {
        outcome.counts.traces = walks.walks;
        outcome.mode = match &request.walks {
            Some(walks) if walks.generate => report::Mode::Generate,
            _ => report::Mode::Simulate,
        };
    }
    let failed = |it: &Violation| matches!(it.kind, ViolationKind::Assumption(..));
    outcome.searched = checked.ended != Ended::NotSearched
        || program.init.is_empty() && !checked.violations.iter().any(failed);
    outcome.temporal_checked =
        outcome.temporal > 0 && request.walks.is_none() && checked.ended == Ended::Complete;
    outcome.notes.append(&mut checked.notes);
    growth(request, program, checked, outcome);
    if let Some(it) = checked.graph.take() {
        outcome.graph = Some(graph(program, &mut checked.evaluator, &it));
    }
    let violations = std::mem::take(&mut checked.violations);
    if let Some(first) = violations.first() {
        outcome.exit = Some(first.exit_status());
    }
    for it in &violations {
        let it = violation(request, program, checked, it);
        outcome.violations.push(it);
    }
    if let Some(first) = outcome.violations.first() {
        outcome.verdict = first.verdict;
        return;
    }
    match checked.ended {
        Ended::NotSearched | Ended::Unusable | Ended::Complete => {}
        Ended::Limit(limit) => {
            outcome.verdict = Verdict::Limit;
            let text = match limit {
                Limit::States => "the number of states (--max-states)",
                Limit::Depth => "the depth (--max-depth)",
                Limit::Memory => "the memory (--max-memory)",
                Limit::Time => "the time (--max-time)",
            };
            outcome.limit = Some(text.to_owned());
        }
        Ended::Stopped(Stop::Interrupt) => {
            outcome.verdict = Verdict::Limit;
            outcome.interrupted = true;
            outcome.limit = Some("an interrupt".to_owned());
        }
        Ended::Stopped(Stop::System) => {
            outcome.notes.push("the specification ended the search (TLCSet)".to_owned());
        }
    }
}

/// What costs nothing to know: growth by level, what constraints kept out, actions never taken.
fn growth(request: &Request, program: &Program, checked: &Checked, outcome: &mut Outcome) {
    if request.walks.is_some() || checked.ended == Ended::NotSearched {
        return;
    }
    let statistics = &checked.statistics;
    outcome.levels.clone_from(&statistics.levels);
    let constraints = program.constraints.iter().chain(&program.action_constraints);
    for (idx, it) in constraints.enumerate() {
        let n = statistics.excluded.get(idx).copied().unwrap_or(0);
        outcome.pruned.push((it.name.to_string(), n));
    }
    let complete = checked.ended == Ended::Complete && checked.violations.is_empty();
    if !complete || request.dfid.is_some() {
        return;
    }
    // By definition: one of several bindings that never leads anywhere is nothing to tell.
    let taken = |idx: usize| statistics.actions.get(idx).is_some_and(|it| it.generated > 0);
    let actions = || program.actions.iter().enumerate();
    let mut done: BTreeSet<(&str, Span)> = actions()
        .filter(|(idx, _)| taken(*idx))
        .map(|(_, it)| (it.name.as_str(), it.span))
        .collect();
    for (_, it) in actions() {
        if !done.insert((it.name.as_str(), it.span)) {
            continue;
        }
        outcome.never_taken.push(report::ActionRef {
            name: it.name.to_string(),
            arguments: Vec::new(),
            context: Vec::new(),
            location: Some(location(program, it.span)),
        });
    }
}

/// Places and names of one program.
pub(crate) fn location(program: &Program, span: Span) -> report::Location {
    let mut it = diagnostics::location(&program.sources, span);
    if let Some(name) = program.module_names.get(span.file.0 as usize).filter(|it| !it.is_empty()) {
        it.module = name.to_string();
    }
    it
}

fn violation(
    request: &Request,
    program: &Program,
    checked: &mut Checked,
    it: &Violation,
) -> report::Violation {
    let initial = it.trace.states.len() == 1;
    let named = |verdict: Verdict, properties: &[lockstep_eval::ir::Property], idx: u32| {
        let mut out = report::Violation::new(verdict);
        if let Some(property) = properties.get(idx as usize) {
            out.property = Some(property_name(request, &property.name));
            out.location = Some(location(program, property.span));
        }
        out
    };
    let mut out = match &it.kind {
        ViolationKind::Assumption(idx, error) => {
            let mut out = named(Verdict::Assumption, &program.assumptions, *idx);
            if let Some(property) = program.assumptions.get(*idx as usize) {
                show(program, &mut out, property.span, "this is not TRUE");
            }
            fail(program, &mut out, error.as_deref());
            out
        }
        ViolationKind::Deadlock => report::Violation::new(Verdict::Deadlock),
        ViolationKind::Invariant(idx) => {
            let mut out = named(Verdict::Invariant, &program.invariants, *idx);
            out.initial = initial;
            let property = program.invariants.get(*idx as usize);
            if let (Some(property), Some(last)) = (property, it.trace.states.last()) {
                let (span, what) = false_part(&mut checked.evaluator, &property.entry, &last.state);
                show(program, &mut out, span, what);
            }
            out
        }
        ViolationKind::InitialProperty(idx) => {
            let mut out = named(Verdict::ActionProperty, &program.initial_properties, *idx);
            out.initial = true;
            let property = program.initial_properties.get(*idx as usize);
            if let (Some(property), Some(first)) = (property, it.trace.states.last()) {
                let (span, what) =
                    false_part(&mut checked.evaluator, &property.entry, &first.state);
                show(program, &mut out, span, what);
            }
            out
        }
        ViolationKind::ActionProperty(idx) => {
            let mut out = named(Verdict::ActionProperty, &program.action_properties, *idx);
            if let Some(property) = program.action_properties.get(*idx as usize) {
                show(program, &mut out, property.span, "the last step does not satisfy this");
            }
            out
        }
        ViolationKind::Temporal(idx) => {
            let mut out = report::Violation::new(Verdict::Liveness);
            if let Some(property) = program.temporal_properties.get(*idx as usize) {
                out.property = Some(property.name.to_string());
                out.location = Some(location(program, property.span));
                show(program, &mut out, property.span, "the behavior does not satisfy this");
            }
            out
        }
        ViolationKind::Tautology(idx) => {
            let mut out = report::Violation::new(Verdict::ConfigError);
            out.code = Some(2253);
            out.message =
                Some("Temporal formula is a tautology (its negation is unsatisfiable).".to_owned());
            if let Some(property) = program.temporal_properties.get(*idx as usize) {
                out.property = Some(property.name.to_string());
                out.location = Some(location(program, property.span));
                let what = "every behavior satisfies this: its negation is unsatisfiable";
                show(program, &mut out, property.span, what);
            }
            out
        }
        ViolationKind::LivenessUnsupported(text) | ViolationKind::Internal(text) => {
            let mut out = report::Violation::new(Verdict::SystemError);
            out.message = Some(text.clone());
            out
        }
        ViolationKind::Postcondition(idx, error) => {
            let mut out = named(Verdict::Postcondition, &program.postconditions, *idx);
            if let Some(property) = program.postconditions.get(*idx as usize) {
                let span = program.span(property.entry.node);
                show(program, &mut out, span, "this is not TRUE");
            }
            fail(program, &mut out, error.as_deref());
            out
        }
        ViolationKind::NoNext => {
            let mut out = report::Violation::new(Verdict::EvalError);
            out.code = Some(2115);
            out.message =
                Some("No next state actions defined to generate successor states from.".to_owned());
            out
        }
        ViolationKind::Impossible(idx) => {
            let mut out = report::Violation::new(Verdict::Postcondition);
            if let Some((property, _)) = program.possible.get(*idx as usize) {
                out.property = Some(property.name.to_string());
                out.location = Some(location(program, property.span));
                out.message = Some(format!("{} was never true.", property.name));
            }
            out
        }
        ViolationKind::Assert(fault) => {
            faulty(program, Verdict::Assert, fault, it.trace.states.len())
        }
        ViolationKind::Error(fault) => {
            faulty(program, Verdict::EvalError, fault, it.trace.states.len())
        }
    };
    out.trace = trace(program, &mut checked.evaluator, &it.trace);
    if let ViolationKind::Error(fault) = &it.kind
        && let Some(partial) = &fault.error.partial
    {
        let n = out.trace.steps.len() + 1;
        let step = incomplete(program, &mut checked.evaluator, partial, n);
        out.trace.steps.push(step);
    }
    out
}

/// The state that lacks values, as TLC shows it.
fn incomplete(
    program: &Program,
    evaluator: &mut Evaluator,
    it: &Partial,
    n: usize,
) -> report::TraceStep {
    let mut state = Vec::new();
    for (variable, bytes) in program.variables.iter().zip(&it.values) {
        let ctx = evaluator.ctx();
        let value = bytes.as_ref().and_then(|it| decode(&mut it.as_slice(), ctx).ok());
        state.push(match value {
            Some(value) => binding(evaluator, &variable.name, &value),
            None => report::Binding {
                name: variable.name.to_string(),
                text: "null".to_owned(),
                value: report::Value::Symbolic("null".to_owned()),
            },
        });
    }
    let action = it.action.and_then(|it| action(program, evaluator, it));
    report::TraceStep { n, action, state, fingerprint: None }
}

/// Adds an error of evaluation.
fn fail(program: &Program, out: &mut report::Violation, error: Option<&EvalError>) {
    let Some(error) = error else { return };
    out.message = Some(error.message.clone());
    out.stack = stack(program, error);
    let Some(span) = error.span else { return };
    let message = without_places(&error.message);
    let mut it = Diagnostic::error(code_text(error.code), span, message.trim_end());
    for value in error.values.iter().filter(|it| !mentions(&message, it)) {
        it = it.note(match error.partial {
            Some(_) => format!("{value} has no value"),
            None => format!("the value is {value}"),
        });
    }
    it.help = lockstep_eval::help::help(error).map(str::to_owned);
    out.rendered = render(&program.sources, &[it], is_terminal());
}

/// A message without TLC's places in words, which the excerpt shows.
fn without_places(message: &str) -> String {
    let is_place = |it: &str| it.contains(", col ") && it.contains(" of module ");
    let lines = message.lines().filter_map(|line| match line.rfind(" line ") {
        _ if line.starts_with("line ") && is_place(line) => None,
        Some(at) if is_place(&line[at..]) && !is_place(&line[..at]) => {
            let from = line[..at].rfind(" line ").unwrap_or(at);
            let from = if line[from..].matches(", col ").count() == 2 { from } else { at };
            Some(line[..from].trim_end())
        }
        _ => Some(line),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a message has a value in it, as a word of its own.
fn mentions(message: &str, value: &str) -> bool {
    let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    message.match_indices(value).any(|(at, _)| {
        let before = message[..at].chars().next_back();
        let after = message[at + value.len()..].chars().next();
        !is_part(before) && !is_part(after)
    })
}

/// The code of an error of evaluation: TLC's number where it has one.
fn code_text(code: u32) -> &'static str {
    use lockstep_eval::error::code;
    match code {
        code::ASSERT => "E2132",
        code::MODULE_OVERRIDE => "E2154",
        code::SET_TOO_LARGE => "E2152",
        code::ARGUMENT => "E2169",
        code::ARGUMENT_AN => "E2266",
        code::APPLYING => "E2180",
        code::CARDINALITY => "E2181",
        code::NOT_A_SEQUENCE => "E2182",
        code::INDEX => "E2183",
        code::EMPTY_SEQUENCE => "E2184",
        code::LEN => "E2283",
        code::REGISTER_UNDEFINED => "E2145",
        code::DIVISION_BY_ZERO => "E2179",
        code::OVERFLOW => "E2178",
        code::NUMBER_TOO_BIG => "E2265",
        code::INCOMPARABLE => "E2150",
        code::NOT_ENUMERABLE => "E2153",
        code::NOT_IN_DOMAIN => "E2136",
        code::TOO_DEEP => "E2147",
        _ => "no-value",
    }
}

/// Shows the text of what does not hold.
fn show(program: &Program, out: &mut report::Violation, span: Span, what: &str) {
    let it = Diagnostic::error("", span, "").label(what);
    let text = render(&program.sources, &[it], is_terminal());
    // Without the headline, which the report has in its own words.
    out.rendered = text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
}

/// The first conjunct of a predicate that is FALSE.
fn false_part(
    evaluator: &mut Evaluator,
    entry: &EntryPoint,
    state: &State,
) -> (Span, &'static str) {
    let program = evaluator.program().clone();
    let (mut entry, mut what) = (entry.clone(), "this is FALSE");
    loop {
        match program.node(entry.node) {
            Node::And(items) => {
                let part = items.iter().copied().find(|it| {
                    let value = evaluator.eval_node(*it, entry.n_slots, state);
                    matches!(value, Ok(Value::Bool(false)))
                });
                let Some(part) = part else { return (program.span(entry.node), what) };
                entry.node = part;
                what = "this conjunct is FALSE";
            }
            Node::StateDef { function, .. } => {
                let function = &program.functions[function.index()];
                entry = EntryPoint { node: function.body, n_slots: function.n_slots };
            }
            _ => return (program.span(entry.node), what),
        }
    }
}

fn faulty(
    program: &Program,
    verdict: Verdict,
    fault: &Fault,
    n_states: usize,
) -> report::Violation {
    let mut out = report::Violation::new(verdict);
    out.code = Some(fault.error.code);
    let name = |properties: &[lockstep_eval::ir::Property], idx: u32| {
        properties.get(idx as usize).map(|it| it.name.to_string())
    };
    match fault.phase {
        Phase::Invariant(idx) => {
            out.property = name(&program.invariants, idx);
            out.initial = n_states <= 1;
            out.code = (!out.initial).then_some(2111);
        }
        Phase::ActionProperty(idx) => out.property = name(&program.action_properties, idx),
        Phase::Constraint(idx) => {
            out.property = name(&program.constraints, idx);
            out.initial = n_states <= 1;
        }
        Phase::ActionConstraint(idx) => out.property = name(&program.action_constraints, idx),
        Phase::Init => out.initial = true,
        Phase::Fingerprint => out.initial = n_states == 0,
        Phase::Next | Phase::Liveness | Phase::Possible => {}
    }
    fail(program, &mut out, Some(&fault.error));
    out
}

/// The first line of a text, shortened.
fn excerpt(program: &Program, span: Span) -> String {
    const MAX: usize = 60;
    let text = &program.sources.file(span.file).text;
    let text = text.get(span.start as usize..span.end as usize).unwrap_or("");
    let line = text.lines().next().unwrap_or("").trim_end();
    let short: String = line.chars().take(MAX).collect();
    if short.len() < text.len() { format!("{short} …") } else { short }
}

/// The chain of definitions, outermost first, ending at the innermost expression.
fn stack(program: &Program, error: &EvalError) -> Vec<report::Frame> {
    let mut out: Vec<report::Frame> = (error.stack.iter().rev())
        .map(|it| report::Frame {
            what: it.name.clone(),
            location: it.span.map(|span| location(program, span)),
            text: it.span.map_or_else(String::new, |span| excerpt(program, span)),
        })
        .collect();
    if let Some(span) = error.span {
        let place = location(program, span);
        if out.last().and_then(|it| it.location.as_ref()) != Some(&place) {
            out.push(report::Frame { location: Some(place), ..report::Frame::default() });
        }
    }
    out
}

fn action(program: &Program, evaluator: &mut Evaluator, idx: u32) -> Option<report::ActionRef> {
    let it = program.actions.get(idx as usize)?;
    let mut out = report::ActionRef {
        name: it.name.to_string(),
        location: Some(location(program, it.span)),
        ..report::ActionRef::default()
    };
    for (name, frozen) in &it.params {
        if let Ok(value) = evaluator.thaw(frozen) {
            let ctx = evaluator.ctx();
            out.arguments.push(to_text(ctx, &value));
            out.context.push((name.to_string(), values::convert(ctx, &value)));
        }
    }
    Some(out)
}

/// The whole state graph with its values printed.
fn graph(program: &Program, evaluator: &mut Evaluator, it: &Graph) -> report::StateGraph {
    let states = (it.states.iter())
        .map(|it| report::GraphState {
            // The upper half is the fingerprint that searches keep.
            id: (it.fingerprint.0 >> 64) as i64,
            level: it.level,
            state: (program.variables.iter().zip(it.state.values()))
                .map(|(variable, value)| binding(evaluator, &variable.name, value))
                .collect(),
        })
        .collect();
    let edges = (it.edges.iter())
        .map(|it| report::GraphEdge {
            from: it.from as usize,
            to: it.to as usize,
            action: it.action as usize,
        })
        .collect();
    let actions = (0..program.actions.len() as u32)
        .map(|idx| action(program, evaluator, idx).unwrap_or_default())
        .collect();
    report::StateGraph { states, edges, actions }
}

fn binding(evaluator: &mut Evaluator, name: &str, value: &Value) -> report::Binding {
    let ctx = evaluator.ctx();
    report::Binding {
        name: name.to_owned(),
        text: to_text(ctx, value),
        value: values::convert(ctx, value),
    }
}

fn trace(program: &Program, evaluator: &mut Evaluator, it: &Trace) -> report::Trace {
    let mut steps = Vec::new();
    for (idx, state) in it.states.iter().enumerate() {
        let action = state.action.and_then(|it| action(program, evaluator, it));
        let bindings = match &state.shown {
            Some(Value::Record(record)) => {
                let fields: Vec<(Sym, Value)> = (record.shape().names().iter().copied())
                    .zip(record.values().iter().cloned())
                    .collect();
                let ctx = evaluator.ctx();
                let named =
                    fields.iter().map(|(name, it)| (ctx.text(*name).to_string(), it.clone()));
                let named: Vec<(String, Value)> = named.collect();
                named.iter().map(|(name, it)| binding(evaluator, name, it)).collect()
            }
            Some(_) | None => {
                let values: Vec<Value> = state.state.values().to_vec();
                (program.variables.iter().zip(&values))
                    .map(|(variable, it)| binding(evaluator, &variable.name, it))
                    .collect()
            }
        };
        steps.push(report::TraceStep { n: idx + 1, action, state: bindings, fingerprint: None });
    }
    let lasso = it.ends_in.map(|it| match it {
        Loop::Stuttering => report::Lasso::Stuttering,
        Loop::BackTo { to, action: idx } => report::Lasso::BackTo {
            n: to,
            action: idx.and_then(|it| action(program, evaluator, it)),
        },
    });
    report::Trace { steps, lasso }
}
