//! Tests of the analysis through its public interface.
#![expect(clippy::print_stderr, reason = "a skipped test must be seen")]

mod assertions;
mod config;
mod corpus;
mod fixtures;
mod levels;
mod random;
mod resolution;
mod size;
mod symbols;

use std::path::Path;

use lockstep_semantic::{Analysis, ModuleSource, ModuleText, RootText, analyse};
use lockstep_syntax::render::render;

/// A few small modules that stand in for the standard ones.
struct Library;

impl ModuleSource for Library {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        if name == "Unreadable" {
            return Err("it is not UTF-8".to_owned());
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/lib");
        let text = std::fs::read_to_string(folder.join(format!("{name}.tla"))).ok();
        Ok(text.map(|text| ModuleText { path: format!("{name}.tla"), text }))
    }
}

/// Analyses a file that holds module `Test`.
fn analyse_text(text: &str) -> Analysis {
    let root =
        RootText { name: "Test".to_owned(), path: "Test.tla".to_owned(), text: text.to_owned() };
    analyse(&Library, root)
}

/// Analyses a module body that must be right.
fn analyse_valid(body: &str) -> Analysis {
    let analysis = analyse_text(&format!("---- MODULE Test ----\n{body}\n====\n"));
    assert!(analysis.diagnostics.is_empty(), "must be accepted:\n{}", shown(&analysis));
    analysis
}

/// The diagnostics as people see them.
fn shown(analysis: &Analysis) -> String {
    render(&analysis.spec.sources, &analysis.diagnostics, false)
}

/// The codes reported for a module body.
fn codes(body: &str) -> Vec<&'static str> {
    let analysis = analyse_text(&format!("---- MODULE Test ----\n{body}\n====\n"));
    analysis.diagnostics.iter().map(|it| it.code).collect()
}
