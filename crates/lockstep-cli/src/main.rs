//! The `lockstep` command: arguments, files, terminal, exit statuses.
//!
//! Thin: each verb reads what it needs, calls the library, and prints a report. Results go to
//! standard output, progress and diagnostics to standard error. Exit statuses are TLC's.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod checkpoint;
mod clock;
mod coverage;
mod diagnostics;
mod engine;
mod eval;
mod files;
mod host;
mod listener;
mod load;
mod output;
mod parse;
mod pcal;
mod progress;
mod request;
mod tlc;
mod trace;
mod values;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Verb};
use output::Output;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit status of a mistake in the command line, as TLC's.
const USAGE: u8 = 1;
/// The exit status when the machine or this program fails.
const SYSTEM_ERROR: u8 = 153;

/// Deep specifications recurse deeply, in the parser as in the evaluator. Address space is cheap;
/// only the pages touched are used.
const STACK_BYTES: usize = 1 << 30;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse_from(joined(std::env::args_os())) {
        Ok(it) => it,
        Err(error) => {
            let _ = error.print();
            let status = if error.use_stderr() { USAGE } else { 0 };
            return ExitCode::from(status);
        }
    };
    let worker = std::thread::Builder::new()
        .name("lockstep".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || run(&arguments));
    let status = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        Ok(Err(_)) => {
            output::note("lockstep: this is a fault of lockstep itself; please report it");
            SYSTEM_ERROR
        }
        Err(error) => {
            output::note(&format!("lockstep: cannot start a thread: {error}"));
            SYSTEM_ERROR
        }
    };
    ExitCode::from(status)
}

/// `--coverage html` as `--coverage=html`: what follows the bare option may as well be the
/// specification.
fn joined(words: impl Iterator<Item = std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let mut out: Vec<std::ffi::OsString> = Vec::new();
    for word in words {
        match out.last_mut() {
            Some(last) if last == "--coverage" && (word == "html" || word == "text") => {
                last.push("=");
                last.push(&word);
            }
            _ => out.push(word),
        }
    }
    out
}

fn run(arguments: &Arguments) -> u8 {
    let mut out = Output::new();
    let status = match &arguments.verb {
        Verb::Check(it) => check::run(it, false, &mut out),
        Verb::Simulate(it) => check::run(it, true, &mut out),
        Verb::Tlc { words } => tlc::run(words, &mut out),
        Verb::Eval(it) => eval::run(it, &mut out),
        Verb::Parse(it) => parse::run(it, &mut out),
        Verb::Trace(it) => trace::run(it, &mut out),
        Verb::Pcal { words } => pcal::run(words, &mut out),
    };
    match out.finish() {
        Ok(()) => status,
        Err(error) => {
            output::note(&format!("lockstep: cannot write to standard output: {error}"));
            SYSTEM_ERROR
        }
    }
}
