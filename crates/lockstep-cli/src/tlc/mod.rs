//! `lockstep tlc`: TLC's options in, TLC's report out, on the same engine.
//!
//! Everything goes to standard output, as TLC has it.

mod options;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lockstep_report as report;
use report::tlc::{Banner, Class, Tlc, TlcOptions};
use report::{Counts, Message, Mode, Outcome};

use crate::checkpoint::Plan;
use crate::clock;
use crate::engine;
use crate::listener::Listener;
use crate::output::Output;
use crate::request::{Behavior, Request, Walks};
use options::TlcArguments;

/// How often TLC reports progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(60);

pub(crate) fn run(words: &[String], out: &mut Output) -> u8 {
    let version = env!("CARGO_PKG_VERSION");
    let tool = words.iter().any(|it| it == "-tool");
    let arguments = match options::parse(words) {
        Ok(it) => it,
        Err(text) => {
            let tlc = Tlc::new(TlcOptions { tool, ..TlcOptions::default() });
            out.text(&tlc.message(2262, Class::Info, &version_line(version)));
            out.text(&tlc.message(1102, Class::Error, &options::usage_error(&text)));
            return crate::USAGE;
        }
    };
    if arguments.help {
        out.text(&options::help(version));
        return crate::USAGE;
    }
    let mut request = request(&arguments);
    if request.walks.is_some() && request.seed.is_none() {
        request.seed = Some(clock::nanoseconds() as i64);
    }
    let mode = match &request.walks {
        Some(walks) if walks.generate => Mode::Generate,
        Some(_) => Mode::Simulate,
        None if request.dfid.is_some() => Mode::DepthFirst,
        None => Mode::BreadthFirst,
    };
    let options = TlcOptions {
        tool: arguments.tool,
        difftrace: arguments.difftrace,
        no_warning: arguments.no_warning,
        keep_going: arguments.keep_going,
    };
    let mut printer = Printer {
        tlc: Tlc::new(options),
        out,
        mode,
        suppressed: arguments.suppressed.clone(),
        user_file: arguments.user_file.is_some().then(String::new),
        parsed: false,
        started: false,
        computing: false,
        shown: false,
        pending: String::new(),
        last_progress: (Instant::now(), 0, 0),
    };
    printer.banner(&request, version);
    for text in without_effect(&arguments) {
        printer.warning(&Message { code: 1000, text });
    }
    let outcome = engine::run(&request, &mut printer);
    printer.finish(&outcome);
    let user_text = printer.user_file.take();
    let mut status = outcome.exit_status();
    if arguments.keep_going && report::tlc::passes_with_continue(&outcome) {
        status = 0;
    }
    let mut written = |result: Result<(), String>, out: &mut Output| {
        if let Err(error) = result {
            out.line(&format!("Error: {error}"));
            status = if status == 0 { crate::SYSTEM_ERROR } else { status };
        }
    };
    if let (Some(text), Some(file)) = (user_text, &arguments.user_file) {
        written(crate::files::write(file, &text), out);
    }
    if let (Some(graph), Some((words, file))) = (&outcome.graph, &arguments.dump) {
        if words.iter().any(|it| it == "constrained") {
            // A search does not keep the states that a constraint excludes.
            out.line("Warning: the dump lacks states outside the model (constrained).");
        }
        written(dump(&request, words, file, graph), out);
    }
    if outcome.trace().is_some() {
        for (format, file) in &arguments.dump_trace {
            written(dump_trace(&request, format, file, &outcome), out);
        }
        let wanted = !arguments.no_trace_spec && !arguments.tool && !arguments.keep_going;
        if wanted && outcome.mode != Mode::DepthFirst {
            let folder = arguments.trace_spec_folder.clone().unwrap_or_default();
            let folder = crate::files::folder_of(&request.spec).join(folder);
            let name = format!("{}_TTrace_{}", outcome.spec, clock::seconds());
            let file = folder.join(format!("{name}.tla"));
            let result = std::fs::create_dir_all(if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                &folder
            })
            .map_err(|error| format!("{}: {error}", folder.display()))
            .and_then(|()| crate::files::write(&file, &report::tla::module(&outcome, &name)));
            if result.is_ok() {
                let shown = Path::new(".").join(&file);
                let shown = if file.is_absolute() { file } else { shown };
                out.line(&format!("Trace exploration spec path: {}", shown.display()));
            }
            written(result, out);
        }
    }
    status
}

/// What was asked for, is accepted and does not have its whole effect.
fn without_effect(it: &TlcArguments) -> Vec<String> {
    let mut out = Vec::new();
    for (key, value) in &it.properties {
        if key == "tlc2.tool.queue.IStateQueue" && value != "DiskStateQueue" {
            out.push(format!(
                "-D{key}={value}: the search is breadth-first all the same. What it finds does not \
                 depend on the order; which behavior it shows, and when it ends early, does."
            ));
        }
    }
    let asked = it.checkpoint.is_some_and(|it| it > 0) || it.checkpoint_levels.is_some();
    if asked && it.dump.is_some() {
        out.push("No checkpoints are made while all states are dumped (-dump).".to_owned());
    }
    if asked && (it.dfid.is_some() || it.simulate.is_some()) {
        out.push("No checkpoints are made in this mode (-dfid, -simulate, -generate).".to_owned());
    }
    out
}

fn version_line(version: &str) -> String {
    format!("TLC2 Version 2.20 (Lockstep {version})")
}

fn request(it: &TlcArguments) -> Request {
    let spec = PathBuf::from(format!("{}.tla", it.spec.as_deref().unwrap_or_default()));
    let folder = crate::files::folder_of(&spec);
    let config = it.config.as_ref().map(|name| {
        let mut name = name.clone();
        if !name.ends_with(".cfg") && !name.ends_with(".tla") {
            name += ".cfg";
        }
        // As typed, or beside the specification.
        let path = PathBuf::from(&name);
        let beside = folder.join(&name);
        if !path.exists() && beside.exists() { beside } else { path }
    });
    let mut path = Vec::new();
    for (key, value) in &it.properties {
        if key == "TLA-Library" {
            path.extend(std::env::split_paths(value));
        }
    }
    let walks = it.simulate.as_ref().map(|walks| Walks {
        generate: walks.generate,
        number: walks.number,
        depth: it.depth,
        file: walks.file.clone(),
    });
    let mut invariants = it.invariants.clone();
    if let Some(level) = it.invariant_level {
        invariants.push(format!("TLCGet(\"level\") < {level}"));
    }
    Request {
        spec,
        config,
        path,
        workers: it.workers,
        check_deadlock: it.no_deadlock.then_some(false),
        keep_going: it.keep_going,
        stop_at_once: false,
        dfid: it.dfid,
        ignore_liveness: it.liveness_check.as_deref() == Some("off"),
        plain: false,
        max_states: None,
        max_depth: None,
        max_time: None,
        max_memory: None,
        max_set_size: it.max_set_size,
        walks,
        seed: it.seed,
        coverage: it.coverage,
        invariants,
        postconditions: it.postconditions.clone(),
        as_errors: it.as_errors.clone(),
        properties: it.properties.clone(),
        show_view: it.show_view,
        dump: it.dump.is_some(),
        follow: it.load_trace.as_ref().map(|(format, file)| Behavior {
            format: format.clone(),
            // TLC means it beside the specification.
            file: folder.join(file),
        }),
        checkpoint: checkpoint(it, &folder),
        recover: it.recover.as_ref().map(|name| {
            // As typed, or beside the specification.
            let beside = folder.join(name);
            let path = PathBuf::from(name);
            if !path.exists() && beside.exists() { beside } else { path }
        }),
        allow_exec: true,
    }
}

/// Where and when TLC makes checkpoints: every 30 minutes, in a folder of its own below `states`.
fn checkpoint(it: &TlcArguments, folder: &Path) -> Option<Plan> {
    let minutes = it.checkpoint.unwrap_or(30);
    let wanted = minutes > 0 && it.dfid.is_none() && it.simulate.is_none();
    let states = it.metadir.clone().unwrap_or_else(|| folder.join("states"));
    wanted.then(|| Plan {
        folder: it
            .recover
            .as_ref()
            .map_or_else(|| states.join(clock::folder_name()), PathBuf::from),
        every: Some(Duration::from_secs(minutes.saturating_mul(60))),
        levels: it.checkpoint_levels,
    })
}

/// `-dump`: a list of states, or a graph in the language of GraphViz.
fn dump(
    request: &Request,
    words: &[String],
    file: &str,
    graph: &report::StateGraph,
) -> Result<(), String> {
    let has = |word: &str| words.iter().any(|it| it == word);
    let (text, extension) = if has("dot") {
        let options = report::graph::DotOptions {
            colorize: has("colorize"),
            action_labels: has("actionlabels"),
            stuttering: has("stuttering"),
        };
        (report::graph::dot(graph, options), ".dot")
    } else {
        (report::graph::list(graph), ".dump")
    };
    let name =
        if file.ends_with(extension) { file.to_owned() } else { format!("{file}{extension}") };
    crate::files::write(&crate::files::folder_of(&request.spec).join(name), &text)
}

/// `-dumpTrace`: the file is meant beside the specification.
fn dump_trace(
    request: &Request,
    format: &str,
    file: &str,
    outcome: &Outcome,
) -> Result<(), String> {
    let path = crate::files::folder_of(&request.spec).join(file);
    let module = crate::parse::module_name(&path);
    let text = match format.to_ascii_lowercase().as_str() {
        "json" => report::trace_json::render(outcome),
        "tla" | "tlctespec" => report::tla::module(outcome, &module),
        "dot" => report::dot::render(outcome),
        "tlc" | "tlcplain" | "tlcaction" => {
            let tlc = Tlc::new(TlcOptions::default());
            outcome.violations.first().map_or_else(String::new, |it| tlc.states(it))
        }
        "itf" => report::itf::render(outcome),
        _ => return Err(format!("unknown format of -dumpTrace: {format}")),
    };
    crate::files::write(&path, &text)
}

/// Prints the stages of a run as TLC does.
struct Printer<'a> {
    tlc: Tlc,
    out: &'a mut Output,
    mode: Mode,
    suppressed: Vec<u32>,
    /// What Print writes when it goes to a file.
    user_file: Option<String>,
    /// Whether the sources were reported.
    parsed: bool,
    /// Whether the start was. TLC says that it starts even when the sources are wrong.
    started: bool,
    /// Whether it was said that the initial states are being computed, which follows assumptions.
    computing: bool,
    /// Whether the initial states were reported.
    shown: bool,
    /// What reports the initial states: not printed when one of them ends the run.
    pending: String,
    last_progress: (Instant, u64, u64),
}

impl Printer<'_> {
    fn banner(&mut self, request: &Request, version: &str) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = if request.workers == 0 { cores } else { request.workers };
        let banner = Banner {
            version: version.to_owned(),
            mode: self.mode,
            seed: request.seed.unwrap_or(0),
            workers,
            cores,
            pid: std::process::id(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        };
        self.out.text(&self.tlc.banner(&banner));
        self.out.flush();
    }

    fn finish(&mut self, outcome: &Outcome) {
        let now = clock::now();
        if self.parsed && !self.started {
            self.out.text(&self.tlc.starting(&now));
        }
        if outcome.searched {
            self.computing();
        }
        if !outcome.violations.first().is_some_and(|it| it.initial) {
            self.pending();
        }
        self.out.text(&self.tlc.failures(outcome, &now));
        self.out.text(&self.tlc.end(outcome, &now));
        self.out.flush();
    }
}

impl Printer<'_> {
    fn pending(&mut self) {
        let text = std::mem::take(&mut self.pending);
        self.out.text(&text);
    }

    fn computing(&mut self) {
        if !self.computing {
            self.computing = true;
            self.out.text(&self.tlc.computing_initial_states(self.mode));
        }
    }
}

impl Listener for Printer<'_> {
    fn parsed(&mut self, files: &[String], modules: &[String], outcome: &Outcome) {
        self.out.text(&self.tlc.parsing_starts());
        self.out.text(&self.tlc.parsing_ends(files, modules, outcome));
        self.parsed = true;
    }

    fn started(&mut self, outcome: &Outcome) {
        self.started = true;
        self.out.text(&self.tlc.starting(&clock::now()));
        self.out.text(&self.tlc.temporal(outcome));
        self.out.flush();
    }

    fn initial_states(&mut self, counts: &Counts) {
        self.computing();
        if !self.shown && counts.initial > 0 {
            self.shown = true;
            let now = clock::now();
            let (generated, distinct) = (counts.initial_generated, counts.initial);
            self.pending = self.tlc.initial_states(self.mode, generated, distinct, &now);
        }
    }

    fn progress(&mut self, counts: &Counts) {
        if counts.depth > 1 {
            self.pending();
        }
        let (since, generated, distinct) = self.last_progress;
        let passed = since.elapsed();
        if passed < PROGRESS_EVERY {
            return;
        }
        let per_minute = |now: u64, then: u64| {
            (now.saturating_sub(then) as f64 * 60.0 / passed.as_secs_f64()) as u64
        };
        let rates =
            (per_minute(counts.generated, generated), per_minute(counts.distinct, distinct));
        let shown = (counts.generated, counts.distinct, counts.queue);
        self.out.text(&self.tlc.progress(counts.depth, shown, Some(rates), &clock::now()));
        self.out.flush();
        self.last_progress = (Instant::now(), counts.generated, counts.distinct);
    }

    fn printed(&mut self, text: &str) {
        match &mut self.user_file {
            Some(kept) => {
                kept.push_str(text);
                kept.push('\n');
            }
            None => self.out.line(text),
        }
    }

    fn checkpointing(&mut self, folder: &str) {
        let text = format!("Checkpointing of run {folder}");
        self.out.text(&self.tlc.message(2195, Class::Info, &text));
    }

    fn checkpointed(&mut self) {
        let text = format!("Checkpointing completed at ({})", clock::now());
        self.out.text(&self.tlc.message(2196, Class::Info, &text));
        self.out.flush();
    }

    fn recovered(&mut self, folder: &str, counts: &Counts) {
        self.shown = true;
        let text = format!("Starting recovery from checkpoint {folder}/");
        self.out.text(&self.tlc.message(2197, Class::Info, &text));
        let text = format!(
            "Recovery completed. {} states examined. {} states on queue.",
            counts.distinct, counts.queue
        );
        self.out.text(&self.tlc.message(2198, Class::Info, &text));
        self.out.flush();
    }

    fn warning(&mut self, it: &Message) {
        if !self.suppressed.contains(&it.code) {
            self.out.text(&self.tlc.warning(it));
        }
    }
}
