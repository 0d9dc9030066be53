//! Every specification of the corpus, where it is present: parsed, printed and parsed again.

use std::path::{Path, PathBuf};

use super::{check_round_trip, parse_text};

/// The corpus folder: `LOCKSTEP_CORPUS`, or beside the workspace.
pub(crate) fn corpus() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let candidates = [
        std::env::var_os("LOCKSTEP_CORPUS").map(PathBuf::from),
        Some(workspace.join("../shared/corpus")),
        Some(workspace.join("../../shared/corpus")),
    ];
    let found = candidates.into_iter().flatten().find(|path| path.is_dir());
    if found.is_none() {
        eprintln!("skipped: no corpus (set LOCKSTEP_CORPUS to its folder)");
    }
    found
}

fn specifications(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus must be readable")
        .map(|entry| entry.expect("the corpus must be readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            specifications(&path, found);
        } else if path.extension().is_some_and(|it| it == "tla") {
            found.push(path);
        }
    }
}

/// Files of the corpus that are there to be rejected by the parser.
const REJECTED: &[&str] = &["c01-jlist-tabs/Bad.tla", "InComment.tla", "TightPlus.tla"];

#[test]
fn specifications_parse_and_round_trip() {
    let Some(corpus) = corpus() else { return };
    let mut paths = Vec::new();
    specifications(&corpus, &mut paths);
    assert!(paths.len() > 100, "the corpus has specifications");
    let (mut n_parsed, mut n_deferred, mut wrong) = (0, 0, Vec::new());
    for path in paths {
        let name = path.display().to_string();
        let Ok(text) = std::fs::read_to_string(&path) else {
            wrong.push(format!("{name}: not UTF-8"));
            continue;
        };
        let (_, parsed) = parse_text(&name, &text);
        let rejected = parsed.diagnostics.iter().any(|it| it.is_error());
        if rejected != REJECTED.iter().any(|end| name.ends_with(end)) {
            wrong.push(format!("{name}: rejected = {rejected}"));
        } else if parsed.deferred.iter().any(|problems| !problems.is_empty()) {
            // A module after the first one that is not right is as free as any other text there.
            n_deferred += 1;
        } else if !rejected {
            check_round_trip(&name, &parsed);
            n_parsed += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    eprintln!(
        "{n_parsed} specifications parsed and printed; {n_deferred} with broken later modules"
    );
}
