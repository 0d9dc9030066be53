//! The list of formats. A new one is a file of this crate, a row here and its snapshots.

use crate::model::Outcome;
use crate::tlc::TlcOptions;

/// One way to print a run.
#[derive(Clone, Copy)]
pub struct Format {
    /// What the user calls it.
    pub name: &'static str,
    /// The extension of its files, without dot.
    pub extension: &'static str,
    /// One phrase that says what it is.
    pub about: &'static str,
    /// Prints a run.
    pub render: fn(&Outcome) -> String,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "text",
        extension: "txt",
        about: "the report for people",
        render: crate::text::render,
    },
    Format {
        name: "json",
        extension: "json",
        about: "the summary object on one line",
        render: |it| crate::json::line(it) + "\n",
    },
    Format {
        name: "tlc",
        extension: "out",
        about: "TLC's report",
        render: |it| crate::tlc::report(it, TlcOptions::default(), ""),
    },
    Format {
        name: "tlc-tool",
        extension: "out",
        about: "TLC's report, framed for tools",
        render: |it| crate::tlc::report(it, TlcOptions { tool: true, ..TlcOptions::default() }, ""),
    },
    Format {
        name: "trace-json",
        extension: "json",
        about: "the behavior in TLC's JSON",
        render: crate::trace_json::render,
    },
    Format {
        name: "itf",
        extension: "itf.json",
        about: "the behavior in Apalache's Informal Trace Format",
        render: crate::itf::render,
    },
    Format {
        name: "dot",
        extension: "dot",
        about: "the behavior as a GraphViz graph",
        render: crate::dot::render,
    },
    Format {
        name: "tla",
        extension: "tla",
        about: "the behavior as a TLA+ module that replays it",
        render: crate::tla::render,
    },
    Format {
        name: "html",
        extension: "html",
        about: "one self-contained page",
        render: crate::html::render,
    },
    Format {
        name: "coverage",
        extension: "html",
        about: "the sources with evaluations counted, as one self-contained page",
        render: crate::coverage_html::render,
    },
    Format {
        name: "junit",
        extension: "xml",
        about: "a JUnit test suite",
        render: crate::junit::render,
    },
    Format {
        name: "sarif",
        extension: "sarif",
        about: "a SARIF 2.1.0 log",
        render: crate::sarif::render,
    },
];

/// The format of that name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|it| it.name == name)
}
