//! A run as a JUnit test suite, for continuous integration: one test case a property.

use std::fmt::Write as _;

use crate::model::{Outcome, Verdict};
use crate::tlc::{Tlc, TlcOptions};

/// The suite of one run.
pub fn render(it: &Outcome) -> String {
    let failed = usize::from(it.exit_status() != 0);
    let errors = usize::from(failed == 1 && !is_failure(it.verdict));
    let failures = failed - errors;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let seconds = format!("{:.3}", it.seconds);
    let name = escaped(&it.spec);
    let _ = writeln!(
        out,
        "<testsuites><testsuite name=\"{name}\" tests=\"1\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds}\">"
    );
    let case = escaped(it.property().unwrap_or("check"));
    let _ = write!(out, "  <testcase classname=\"{name}\" name=\"{case}\" time=\"{seconds}\"");
    if failed == 0 {
        out.push_str("/>\n");
    } else {
        let tlc = Tlc::new(TlcOptions::default());
        let mut text = tlc.failures(it, "");
        for it in it.diagnostics.iter().filter(|it| it.error) {
            let _ = writeln!(
                text,
                "{}",
                if it.rendered.is_empty() { &it.message } else { &it.rendered }
            );
        }
        let tag = if errors == 1 { "error" } else { "failure" };
        let _ = write!(
            out,
            ">\n    <{tag} type=\"{}\" message=\"{}\">{}</{tag}>\n  </testcase>\n",
            it.verdict.text(),
            escaped(&crate::text::headline(it)),
            escaped(&text)
        );
    }
    out.push_str("</testsuite></testsuites>\n");
    out
}

/// Whether the specification was checked and found wrong, as opposed to not checked.
fn is_failure(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Deadlock
            | Verdict::Invariant
            | Verdict::ActionProperty
            | Verdict::Liveness
            | Verdict::Assumption
            | Verdict::Postcondition
            | Verdict::Assert
    )
}

/// A text within XML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match ch {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(ch),
            // XML 1.0 has no other control characters.
            _ if ch.is_control() => out.push('\u{fffd}'),
            _ => out.push(ch),
        }
    }
    out
}
