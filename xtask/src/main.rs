//! Automation: tidy checks, the runners of `suite/`, `specs/` and of a corpus, blessing.
//!
//! `cargo run -p xtask -- VERB`; `cargo xtask VERB` where the alias is set.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod bench;
mod corpus;
mod determinism;
mod instructions;
mod run;
mod suite;
mod table;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
usage: cargo run -p xtask -- VERB

  tidy                      layering, file headers, absolute paths, unsafe code, IO below the CLI
  suite  [--bin PATH] [-v]  every line of suite/ and specs/, the same bytes for 1, 2, 4, 8 workers
  corpus --bin PATH --corpus DIR [--suite examples,tlc-tests] [--filter TEXT] [--timeout S]
         [--misses N]       models with recorded results; fails with more than N misses
  bench  [--bin PATH] [--corpus DIR] [--filter TEXT] [--workers 1,2] [--runs N] [--least N]
         [--count-up-to N]  whole models as a table: states a second, processor time, memory,
                            instructions a generated state (by valgrind, up to N states)
  determinism [--of workers|tiers] [--bin PATH] [--corpus DIR] [--filter TEXT] [--timeout S] [--misses N]
                            the same reports, traces and dumps for 1, 2, 3, 4, 8 workers
  instructions [--bin PATH] [--bless]
                            instructions a generated state against bench/instructions.tsv
  bless                     update all snapshots
";

/// The root of the workspace.
fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let options = Options(&words[words.len().min(1)..]);
    let good = match words.first().map(String::as_str) {
        Some("tidy") => {
            let problems = tidy::problems(&root());
            problems.iter().for_each(|it| println!("{it}"));
            println!("tidy: {} problems", problems.len());
            problems.is_empty()
        }
        Some("suite") => run_suite(&options),
        Some("corpus") => corpus::run(&options),
        Some("bench") => bench::run(&options),
        Some("determinism") => determinism::run(&options),
        Some("instructions") => instructions::run(&options),
        Some("bless") => bless(),
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            true
        }
        _ => {
            eprint!("{HELP}");
            false
        }
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `--name value` pairs.
struct Options<'a>(&'a [String]);

impl Options<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|it| it == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    /// The binary to run: as given, else the release build of this workspace.
    fn binary(&self) -> PathBuf {
        match self.get("--bin") {
            Some(it) => PathBuf::from(it),
            None => {
                let target = std::env::var_os("CARGO_TARGET_DIR")
                    .map_or_else(|| root().join("target"), PathBuf::from);
                target.join("release/lockstep")
            }
        }
    }
}

fn run_suite(options: &Options<'_>) -> bool {
    let roots = ["suite", "specs"].map(|it| root().join(it));
    let verbose = options.0.iter().any(|it| it == "-v");
    match suite::run(&options.binary(), &roots, verbose) {
        Ok((passed, failed)) => {
            println!("suite {passed}/{}", passed + failed);
            failed == 0
        }
        Err(error) => {
            println!("{error}");
            false
        }
    }
}

fn bless() -> bool {
    let status = std::process::Command::new("cargo")
        .args(["test", "--workspace"])
        .current_dir(root())
        .env("UPDATE_EXPECT", "1")
        .status();
    status.is_ok_and(|it| it.success())
}
