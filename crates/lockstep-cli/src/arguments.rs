//! The command line of our own verbs, as typed. What it means is in the file of each verb.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::check::{parse_bytes, parse_duration};

/// Model checker, translator and tools for TLA+.
#[derive(Parser)]
#[command(name = "lockstep", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Check a specification against its model
    Check(Box<CheckArguments>),
    /// Walk at random through a specification: check --simulate
    Simulate(Box<CheckArguments>),
    /// Take TLC's own options and print TLC's own report
    #[command(disable_help_flag = true)]
    Tlc {
        /// TLC's options; `lockstep tlc -help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        words: Vec<String>,
    },
    /// Parse and analyse a module without checking it
    Parse(ParseArguments),
    /// Evaluate an expression
    Eval(EvalArguments),
    /// Open a stored behavior: show, project, compare, convert
    Trace(TraceArguments),
    /// Translate the PlusCal algorithm of a module
    #[command(disable_help_flag = true)]
    Pcal {
        /// Options of the translator; `lockstep pcal -help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        words: Vec<String>,
    },
}

fn workers(text: &str) -> Result<usize, String> {
    match text {
        "auto" => Ok(0),
        _ => match text.parse() {
            Ok(0) | Err(_) => Err("a number of at least 1, or auto".to_owned()),
            Ok(n) => Ok(n),
        },
    }
}

fn format_names() -> Vec<&'static str> {
    lockstep_report::FORMATS.iter().map(|it| it.name).collect()
}

#[derive(clap::Args)]
pub(crate) struct CheckArguments {
    /// The specification
    pub(crate) spec: PathBuf,
    /// The model [default: SPEC.cfg]
    #[arg(long, short = 'c', value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Worker threads, or auto for one a processor
    #[arg(long, short = 'w', value_name = "N|auto", default_value = "auto", value_parser = workers)]
    pub(crate) workers: usize,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = clap::builder::PossibleValuesParser::new(format_names()))]
    pub(crate) format: String,
    /// Also write a report to a file, as FORMAT=FILE; may be repeated
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<String>,
    /// Another folder with modules; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Vec<PathBuf>,
    /// Do not check for deadlock
    #[arg(long, conflicts_with = "deadlock")]
    pub(crate) no_deadlock: bool,
    /// Check for deadlock, whatever the model says
    #[arg(long)]
    pub(crate) deadlock: bool,
    /// Go on after a violation
    #[arg(long = "continue")]
    pub(crate) keep_going: bool,
    /// Stop at the first violation found, which may differ from run to run with several workers
    #[arg(long)]
    pub(crate) stop_at_once: bool,
    /// One more invariant, as an expression; may be repeated
    #[arg(long, value_name = "EXPR")]
    pub(crate) invariant: Vec<String>,
    /// Search depth first, deepening to N
    #[arg(long, value_name = "N")]
    pub(crate) dfid: Option<u64>,
    /// Allow the composition of actions (A \cdot B), which TLC has a switch for
    #[arg(long)]
    pub(crate) action_composition: bool,
    /// Do not check temporal properties
    #[arg(long)]
    pub(crate) ignore_liveness: bool,
    /// Evaluate everything anew instead of remembering results: slower, with the same report
    #[arg(long)]
    pub(crate) plain: bool,
    /// Stop after so many distinct states
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,
    /// Stop after so many levels
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u64>,
    /// Stop after so long: 90s, 15m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) max_time: Option<Duration>,
    /// Stop before more memory is used: 512M, 8G
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) max_memory: Option<u64>,
    /// The largest set to enumerate [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_set_size: Option<u64>,
    /// Walk at random instead of searching; lockstep simulate does it, too
    #[arg(long, conflicts_with = "dfid")]
    pub(crate) simulate: bool,
    /// Walk at random, drawing one action and binding a step
    #[arg(long, conflicts_with_all = ["dfid", "simulate"])]
    pub(crate) generate: bool,
    /// How many random walks
    #[arg(long, value_name = "N")]
    pub(crate) traces: Option<u64>,
    /// The longest random walk [default: 100]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u64>,
    /// Store each random walk in files of this prefix
    #[arg(long, value_name = "PREFIX")]
    pub(crate) trace_files: Option<String>,
    /// The seed of random choices
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<i64>,
    /// Count how often each expression is evaluated; html writes the sources so marked to
    /// SPEC.coverage.html
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "text", value_parser = ["text", "html"])]
    pub(crate) coverage: Option<String>,
    /// Keep a checkpoint in this folder, from which --recover goes on
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dfid", "simulate", "generate"])]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Time between checkpoints, which are made at the ends of levels [default: 30m]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "checkpoint")]
    pub(crate) checkpoint_every: Option<Duration>,
    /// Make a checkpoint after so many levels, whatever the time
    #[arg(long, value_name = "N", requires = "checkpoint", hide = true)]
    pub(crate) checkpoint_levels: Option<u32>,
    /// Go on from the checkpoint in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) recover: Option<PathBuf>,
    /// Let the specification start programs (IOExec)
    #[arg(long)]
    pub(crate) allow_exec: bool,
    /// Show no progress
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
    /// Colours
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = ["auto", "always", "never"])]
    pub(crate) color: String,
}

#[derive(clap::Args)]
pub(crate) struct ParseArguments {
    /// The file
    pub(crate) file: PathBuf,
    /// Stop after the syntax: resolve no names, read no other module
    #[arg(long)]
    pub(crate) syntax_only: bool,
    /// What standard output gets
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub(crate) format: String,
    /// Another folder with modules; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Vec<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct EvalArguments {
    /// The expression
    #[arg(allow_hyphen_values = true)]
    pub(crate) expression: String,
    /// A module whose definitions may be used; constants come from its .cfg
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// The model of the context [default: CONTEXT.cfg if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Another folder with modules; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) path: Vec<PathBuf>,
    /// The largest set to enumerate [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_set_size: Option<u64>,
    /// Let the expression start programs (IOExec)
    #[arg(long)]
    pub(crate) allow_exec: bool,
}

#[derive(clap::Args)]
pub(crate) struct TraceArguments {
    /// TLC's JSON or text, ITF, or the summary of lockstep
    pub(crate) file: PathBuf,
    /// What to show it as
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = clap::builder::PossibleValuesParser::new(format_names()))]
    pub(crate) format: String,
    /// Write to a file instead of standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only these variables
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Without these variables
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) hide: Vec<String>,
    /// Compare with another behavior; exit status 1 when they differ
    #[arg(long, value_name = "FILE")]
    pub(crate) diff: Option<PathBuf>,
}
