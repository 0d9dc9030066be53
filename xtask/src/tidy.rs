//! What the compiler does not hold: the layering of the crates, headers of files, paths of one
//! machine, where unsafe code and IO may stand.
//!
//! Also run as a test, so that `cargo test` says it first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each crate the crates that it may use; the arrows of ARCHITECTURE.md.
const LAYERS: &[(&str, &[&str])] = &[
    ("lockstep-runtime", &[]),
    ("lockstep-explore", &["lockstep-runtime"]),
    ("lockstep-syntax", &[]),
    ("lockstep-semantic", &["lockstep-syntax"]),
    ("lockstep-eval", &["lockstep-semantic", "lockstep-syntax"]),
    (
        "lockstep-tla",
        &[
            "lockstep-eval",
            "lockstep-explore",
            "lockstep-runtime",
            "lockstep-semantic",
            "lockstep-syntax",
        ],
    ),
    ("lockstep-report", &["lockstep-explore"]),
    ("lockstep-ecs-macros", &[]),
    ("lockstep-ecs", &["lockstep-ecs-macros", "lockstep-explore", "lockstep-runtime"]),
    (
        "lockstep-cli",
        &[
            "lockstep-eval",
            "lockstep-explore",
            "lockstep-report",
            "lockstep-semantic",
            "lockstep-syntax",
            "lockstep-tla",
        ],
    ),
];

/// The crates that may hold unsafe code; benches ask the system for a thread's processor time.
const UNSAFE: &[&str] = &["lockstep-runtime", "lockstep-ecs", "bench"];

/// The crates that may read files, the environment and clocks, and print.
const IO: &[&str] = &["lockstep-cli", "xtask", "bench"];

/// All that is wrong with the workspace at `root`.
pub(crate) fn problems(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    layering(root, &mut out);
    let mut files = Vec::new();
    for top in ["crates", "xtask", "bench", "fuzz", "suite", "specs", "examples", ".ci"] {
        collect(&root.join(top), &mut files);
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "Cargo.toml"] {
        files.push(root.join(name));
    }
    for path in files {
        // What is not text, or not there, has nothing to be checked.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        paths(&shown, &text, &mut out);
        if path.extension().is_some_and(|it| it == "rs") {
            source(&shown, &text, &mut out);
        }
    }
    out
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    paths.sort();
    for path in paths {
        let hidden = path.file_name().is_some_and(|it| it == "target" || it == ".git");
        if path.is_dir() && !hidden {
            collect(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

/// The crates of this workspace that a manifest's `[dependencies]` name.
fn uses(manifest: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut section = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]") && !section.contains("dev-dependencies") {
            let name = line.split(['.', '=', ' ']).next().unwrap_or("");
            if name.starts_with("lockstep-") {
                out.push(name.to_owned());
            }
        }
    }
    out
}

fn layering(root: &Path, out: &mut Vec<String>) {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    let Ok(entries) = std::fs::read_dir(root.join("crates")) else {
        out.push("crates/ cannot be read".to_owned());
        return;
    };
    let mut names: Vec<String> =
        entries.flatten().map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names {
        let manifest = root.join("crates").join(&name).join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&manifest) else { continue };
        match allowed.get(name.as_str()) {
            None => out.push(format!("crates/{name}: not in the layering of xtask/src/tidy.rs")),
            Some(allowed) => {
                for used in uses(&text).iter().filter(|it| !allowed.contains(&it.as_str())) {
                    out.push(format!("crates/{name}/Cargo.toml: must not use {used}"));
                }
            }
        }
    }
}

/// No path of the machine it was written on.
fn paths(shown: &str, text: &str, out: &mut Vec<String>) {
    // Put together here, so that this file does not hold them.
    let foreign =
        [["/wo", "rk/"], ["/ho", "me/"], ["/Us", "ers/"], ["/ro", "ot/"]].map(|it| it.concat());
    for (idx, line) in text.lines().enumerate() {
        if foreign.iter().any(|it| line.contains(it.as_str())) {
            out.push(format!("{shown}:{}: an absolute path of one machine", idx + 1));
        }
    }
}

fn source(shown: &str, text: &str, out: &mut Vec<String>) {
    // Cases for the compiler's messages: what they are their names say, and a line more would move every place in them.
    let is_compile_case = shown.contains("/tests/compile");
    if !text.starts_with("//!") && !is_compile_case {
        out.push(format!("{shown}: does not open with //! saying what it is"));
    }
    let krate = shown.strip_prefix("crates/").unwrap_or(shown).split('/').next().unwrap_or("");
    let tests = ["/tests/", "/benches/", "/tests.rs"];
    let is_test = tests.iter().any(|it| shown.contains(it));
    let has_code = text.lines().any(|it| !it.is_empty() && !it.starts_with("//"));
    let is_root = has_code && (shown.ends_with("src/lib.rs") || shown.ends_with("src/main.rs"));
    if is_root && !UNSAFE.contains(&krate) && !text.contains("#![forbid(unsafe_code)]") {
        out.push(format!("{shown}: must forbid unsafe code"));
    }
    let mut in_tests = is_test;
    for (idx, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let at = format!("{shown}:{}", idx + 1);
        let marks = [["to", "do!("], ["unimpl", "emented!("], ["db", "g!("]].map(|it| it.concat());
        if let Some(mark) = marks.iter().find(|it| code.contains(it.as_str())) {
            out.push(format!("{at}: {mark}…)"));
        }
        in_tests |= code.contains("#[cfg(test)]");
        let is_example = shown.contains("/examples/");
        if !in_tests && !is_example && !IO.contains(&krate) && shown.starts_with("crates/") {
            let io = [
                "std::fs",
                "std::env::",
                "std::time::",
                "println!(",
                "std::io::stdout",
                "std::process::",
            ];
            if let Some(what) = io.iter().find(|it| code.contains(**it)) {
                out.push(format!("{at}: {what} below the command line"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{paths, problems, source, uses};

    #[test]
    fn the_workspace_is_tidy() {
        let problems = problems(&crate::root());
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }

    #[test]
    fn what_is_found() {
        let mut out = Vec::new();
        let text = "fn f() { std::fs::read(p); }\n";
        source("crates/lockstep-eval/src/lib.rs", text, &mut out);
        paths("README.md", &["see /ho", "me/someone/x"].concat(), &mut out);
        assert_eq!(
            out,
            [
                "crates/lockstep-eval/src/lib.rs: does not open with //! saying what it is",
                "crates/lockstep-eval/src/lib.rs: must forbid unsafe code",
                "crates/lockstep-eval/src/lib.rs:1: std::fs below the command line",
                "README.md:1: an absolute path of one machine",
            ]
        );
    }

    #[test]
    fn only_real_dependencies_count() {
        let manifest = "[dependencies]\nlockstep-syntax.workspace = true\nserde = \"1\"\n\
                        [dev-dependencies]\nlockstep-cli = { path = \"x\" }\n\
                        [target.'cfg(loom)'.dependencies]\nlockstep-runtime = { version = \"1\" }\n";
        assert_eq!(uses(manifest), ["lockstep-syntax", "lockstep-runtime"]);
    }
}
