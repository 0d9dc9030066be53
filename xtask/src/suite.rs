//! Runs `suite/` and `specs/` with the built binary: every line of every `expect.tsv`, with
//! 1, 2, 4 and 8 workers, remembering results or not, and compares the bytes of what the runs print.
//!
//! Only the figures that speak of the run itself (seconds, workers) are left out of the comparison.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const WORKERS: [&str; 4] = ["1", "2", "4", "8"];

/// One line of an `expect.tsv`.
pub(crate) struct Case {
    pub(crate) folder: PathBuf,
    pub(crate) module: String,
    pub(crate) config: String,
    pub(crate) exit: i32,
    pub(crate) generated: Option<u64>,
    distinct: Option<u64>,
    depth: Option<u64>,
    trace: Option<usize>,
}

/// Runs everything below `roots`; returns how many cases passed and failed.
pub(crate) fn run(
    binary: &Path,
    roots: &[PathBuf],
    verbose: bool,
) -> Result<(usize, usize), String> {
    let binary = binary.canonicalize().map_err(|err| format!("{}: {err}", binary.display()))?;
    let mut passed = 0;
    let mut failed = 0;
    for root in roots {
        for case in cases(root)? {
            let name = format!(
                "{}/{}",
                case.folder.strip_prefix(root).unwrap_or(root).display(),
                case.config
            );
            let problems = check(&binary, &case)?;
            if problems.is_empty() {
                passed += 1;
                if verbose {
                    println!("ok   {name}");
                }
            } else {
                failed += 1;
                println!("FAIL {name}: {}", problems.join("; "));
            }
        }
    }
    Ok((passed, failed))
}

/// The cases of all folders of `root`.
pub(crate) fn cases(root: &Path) -> Result<Vec<Case>, String> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root)
        .map_err(|err| format!("{}: {err}", root.display()))?
        .filter_map(|entry| entry.ok().map(|it| it.path()))
        .filter(|path| path.join("expect.tsv").is_file())
        .collect();
    folders.sort();
    let mut all = Vec::new();
    for folder in folders {
        let path = folder.join("expect.tsv");
        let text =
            std::fs::read_to_string(&path).map_err(|err| format!("{}: {err}", path.display()))?;
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            let cells: Vec<&str> = line.split('\t').collect();
            let cell = |idx: usize| cells.get(idx).copied().unwrap_or("");
            all.push(Case {
                folder: folder.clone(),
                module: cell(0).to_owned(),
                config: cell(1).to_owned(),
                exit: cell(2)
                    .parse()
                    .map_err(|_| format!("{}: bad line {line:?}", path.display()))?,
                generated: cell(3).parse().ok(),
                distinct: cell(4).parse().ok(),
                depth: cell(5).parse().ok(),
                trace: cell(6).parse().ok(),
            });
        }
    }
    Ok(all)
}

fn check(binary: &Path, case: &Case) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    let mut first: Option<String> = None;
    // The last run evaluates everything anew: both tiers of the evaluator have one meaning.
    let runs = WORKERS.iter().map(|it| (*it, None)).chain([("1", Some("--plain"))]);
    for (workers, tier) in runs {
        let output = Command::new(binary)
            .current_dir(&case.folder)
            .args(["check", "--format", "json", "--workers", workers])
            .args(tier)
            .args(["--config", &format!("{}.cfg", case.config)])
            .arg(format!("{}.tla", case.module))
            .output()
            .map_err(|err| format!("{}: {err}", binary.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or("");
        let mut summary: Value = match serde_json::from_str(last) {
            Ok(value) => value,
            Err(err) => {
                problems.push(format!("{workers} workers: no summary ({err})"));
                continue;
            }
        };
        if output.status.code() != Some(case.exit) {
            problems.push(format!(
                "{workers} workers: exit {:?}, want {} ({})",
                output.status.code(),
                case.exit,
                summary["verdict"]
            ));
        }
        for (key, want) in
            [("generated", case.generated), ("distinct", case.distinct), ("depth", case.depth)]
        {
            // A run without states has no depth worth comparing.
            if want.is_some_and(|want| want > 0 && summary[key].as_u64() != Some(want)) {
                problems.push(format!("{workers} workers: {key} {}, want {want:?}", summary[key]));
            }
        }
        let states = summary["trace"].as_array().map_or(0, Vec::len);
        if case.trace.is_some_and(|want| want != states) {
            problems.push(format!("{workers} workers: trace of {states}, want {:?}", case.trace));
        }
        if let Some(map) = summary.as_object_mut() {
            map.remove("seconds");
            map.remove("workers");
        }
        let before = text.len() - last.len();
        let bytes = format!("{}{summary}", &text[..before.min(text.len())]);
        match &first {
            None => first = Some(bytes),
            Some(one) if *one != bytes => {
                let tier = tier.unwrap_or("");
                problems.push(format!("{workers} workers {tier}: other bytes than with one"));
            }
            Some(_) => {}
        }
    }
    Ok(problems)
}
