//! The command line of our own verbs, as typed. What it means is in the file of each verb.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Model checker, translator and tools for TLA+.
#[derive(Parser)]
#[command(name = "lockstep", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Parse and analyse a module without checking it
    Parse(ParseArguments),
    /// Evaluate an expression
    Eval(EvalArguments),
    /// Translate the PlusCal algorithm of a module
    #[command(disable_help_flag = true)]
    Pcal {
        /// Options of the translator; `lockstep pcal -help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
        words: Vec<String>,
    },
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
