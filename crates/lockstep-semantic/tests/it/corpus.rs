//! The corpus, where it is present: every specification analyses as SANY says it does.

use std::path::{Path, PathBuf};

use lockstep_semantic::{Analysis, ModuleSource, ModuleText, RootText, analyse, parse_config};
use lockstep_syntax::{SourceFile, SourceMap};

use super::shown;

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

/// Modules of some folders, the first that has one wins.
struct Folders(Vec<PathBuf>);

impl ModuleSource for Folders {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        for folder in &self.0 {
            let path = folder.join(format!("{name}.tla"));
            if path.exists() {
                let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
                return Ok(Some(ModuleText { path: path.display().to_string(), text }));
            }
        }
        Ok(None)
    }
}

/// Analyses a file of the corpus with its folder, the community modules and the built-in ones.
pub(crate) fn analyse_file(corpus: &Path, path: &Path) -> Analysis {
    let built_in =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../lockstep-eval/src/stdlib/modules");
    let folder = path.parent().expect("a file has a folder").to_path_buf();
    let source = Folders(vec![folder, corpus.join("community"), built_in]);
    let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).expect("the corpus is UTF-8");
    analyse(&source, RootText { name, path: path.display().to_string(), text })
}

fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is readable")
        .map(|entry| entry.expect("the corpus is readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

/// Files that SANY rejects as well.
const REJECTED: &[&str] = &[
    "community/BagsTheorems.tla",
    "suite-etest2/etest2.tla",
    "suite-etest5/etest5.tla",
    "suite-etest16/etest16.tla",
    "suite-test212/test212.tla",
    "suite-test214/test214.tla",
    "pcal-trans/CallGotoUnlabeledTest.tla",
    "c01-jlist-tabs/Bad.tla",
    "c02-comments-strings/InComment.tla",
    "c06-lambda-label/TightPlus.tla",
];

#[test]
fn specifications_are_accepted() {
    let Some(corpus) = corpus() else { return };
    let mut paths = Vec::new();
    for folder in ["examples", "perf", "tlc-tests", "user-cases", "community"] {
        files(&corpus.join(folder), "tla", &mut paths);
    }
    assert!(paths.len() > 500, "the corpus has specifications");
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        // Left behind by a run of TLC.
        if name.contains("_TTrace_") {
            continue;
        }
        let analysis = analyse_file(&corpus, &path);
        if analysis.has_errors() != REJECTED.iter().any(|end| name.ends_with(end)) {
            wrong.push(format!("{name}:\n{}", shown(&analysis)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_is_reported() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("syntax");
    let index = std::fs::read_to_string(folder.join("semantic-errors-index.tsv"))
        .expect("the corpus has an index of errors");
    let mut wrong = Vec::new();
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let analysis = analyse_file(&corpus, &folder.join(fields[0]));
        let reported = analysis.diagnostics.iter().any(|it| it.code[1..] == *fields[1]);
        if !reported || analysis.has_errors() == fields[3].starts_with("warn") {
            wrong.push(format!("{}:\n{}", fields[0], shown(&analysis)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn configurations_are_accepted() {
    let Some(corpus) = corpus() else { return };
    let mut paths = Vec::new();
    files(&corpus, "cfg", &mut paths);
    assert!(paths.len() > 100, "the corpus has configurations");
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        // Written for another checker: TLC has no negative numbers in a configuration.
        if name.contains("Disruptor/APDisruptor_") {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            wrong.push(format!("{name}: not UTF-8"));
            continue;
        };
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new(name.clone(), text));
        let (_, diagnostics) = parse_config(file, sources.file(file));
        if !diagnostics.is_empty() {
            wrong.push(lockstep_syntax::render::render(&sources, &diagnostics, false));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
