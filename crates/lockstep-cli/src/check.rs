//! `lockstep check`: arguments to request, request to outcome, outcome to reports.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use lockstep_report as report;
use report::{Counts, Message, Outcome};

use crate::arguments::CheckArguments;
use crate::checkpoint::Plan;
use crate::engine;
use crate::listener::Listener;
use crate::output::{Output, note};
use crate::progress::Progress;
use crate::request::{Request, Walks};

pub(crate) fn run(arguments: &CheckArguments, simulate: bool, out: &mut Output) -> u8 {
    let json = arguments.format == "json";
    let mut watcher = Watcher { out, progress: Progress::new(!arguments.quiet) };
    let outcome = engine::run(&request(arguments, simulate), &mut watcher);
    drop(watcher);
    let color = match arguments.color.as_str() {
        "always" => true,
        "never" => false,
        _ => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    };
    if arguments.format == "text" {
        out.text(&report::text::report(&outcome, report::text::TextOptions { color }));
    } else if let Some(format) = report::format(&arguments.format) {
        if json {
            // Standard output is for programs; people read standard error.
            outcome.diagnostics.iter().for_each(crate::parse::print);
            outcome.notes.iter().for_each(|it| note(&format!("note: {it}")));
        }
        out.text(&(format.render)(&outcome));
    }
    let mut status = outcome.exit_status();
    let mut reports = arguments.report.clone();
    if arguments.coverage.as_deref() == Some("html") {
        reports.push(format!("coverage={}.coverage.html", outcome.spec));
    }
    for spec in &reports {
        if let Err(error) = write_report(spec, &outcome) {
            note(&format!("lockstep: {error}"));
            status = if status == 0 { crate::SYSTEM_ERROR } else { status };
        }
    }
    status
}

/// Writes `FORMAT=FILE`; the file is complete or not there.
fn write_report(spec: &str, outcome: &Outcome) -> Result<(), String> {
    let (name, file) = spec.split_once('=').ok_or_else(|| format!("{spec}: not FORMAT=FILE"))?;
    let format = report::format(name).ok_or_else(|| {
        let names: Vec<&str> = report::FORMATS.iter().map(|it| it.name).collect();
        format!("there is no format {name}; there are {}", names.join(", "))
    })?;
    let text = if name == "tla" {
        report::tla::module(outcome, &crate::parse::module_name(Path::new(file)))
    } else {
        (format.render)(outcome)
    };
    crate::files::write(Path::new(file), &text)
}

fn request(it: &CheckArguments, simulate: bool) -> Request {
    let walks = (simulate || it.simulate || it.generate).then(|| Walks {
        generate: it.generate,
        number: it.traces,
        depth: it.depth,
        file: it.trace_files.clone(),
    });
    Request {
        spec: crate::files::with_extension(&it.spec),
        config: it.config.clone(),
        path: it.path.clone(),
        workers: it.workers,
        check_deadlock: if it.no_deadlock { Some(false) } else { it.deadlock.then_some(true) },
        keep_going: it.keep_going,
        stop_at_once: it.stop_at_once,
        dfid: it.dfid,
        ignore_liveness: it.ignore_liveness,
        plain: it.plain,
        max_states: it.max_states,
        max_depth: it.max_depth,
        max_time: it.max_time,
        max_memory: it.max_memory,
        max_set_size: it.max_set_size,
        walks,
        seed: it.seed,
        coverage: it.coverage.is_some(),
        invariants: it.invariant.clone(),
        postconditions: Vec::new(),
        as_errors: Vec::new(),
        properties: (it.action_composition)
            .then(|| ("tlc2.tool.impl.Tool.cdot".to_owned(), "true".to_owned()))
            .into_iter()
            .collect(),
        show_view: false,
        dump: false,
        follow: None,
        checkpoint: it.checkpoint.clone().map(|folder| Plan {
            folder,
            every: Some(it.checkpoint_every.unwrap_or(Duration::from_secs(30 * 60))),
            levels: it.checkpoint_levels,
        }),
        recover: it.recover.clone(),
        allow_exec: it.allow_exec,
    }
}

/// `90`, `90s`, `15m`, `2h`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.find(|it: char| it.is_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let factor = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "ms" => 0.001,
        _ => return Err(format!("{unit:?} is no unit of time; use ms, s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| format!("{number:?} is not a number"))?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
}

/// `500000`, `512M`, `8G`.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let trimmed = lower.trim_end_matches("ib").trim_end_matches('b');
    let (number, shift) = match trimmed.chars().last() {
        Some('k') => (&trimmed[..trimmed.len() - 1], 10),
        Some('m') => (&trimmed[..trimmed.len() - 1], 20),
        Some('g') => (&trimmed[..trimmed.len() - 1], 30),
        Some('t') => (&trimmed[..trimmed.len() - 1], 40),
        _ => (trimmed, 0),
    };
    let number: f64 = number.parse().map_err(|_| format!("{text:?} is not a number of bytes"))?;
    if number < 0.0 {
        return Err(format!("{text:?} is negative"));
    }
    Ok((number * (1u64 << shift) as f64) as u64)
}

/// Shows a run to a person: a line of progress, what the specification prints.
struct Watcher<'a> {
    out: &'a mut Output,
    progress: Progress,
}

impl Listener for Watcher<'_> {
    fn progress(&mut self, counts: &Counts) {
        self.progress.show(counts);
    }

    fn printed(&mut self, text: &str) {
        let out = &mut *self.out;
        self.progress.suspend(|| {
            out.line(text);
            out.flush();
        });
    }

    fn warning(&mut self, _: &Message) {
        // Warnings are a part of the report.
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_bytes, parse_duration};
    use std::time::Duration;

    #[test]
    fn units() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_secs(7200)));
        assert!(parse_duration("2 fortnights").is_err());
        assert!(parse_duration("-1s").is_err());
        assert_eq!(parse_bytes("512M"), Ok(512 << 20));
        assert_eq!(parse_bytes("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_bytes("1000"), Ok(1000));
        assert!(parse_bytes("many").is_err());
    }
}
