//! The same bytes for any number of workers, or from every tier of the evaluator: reports, traces and dumps of all models
//! there are.
//!
//! Every line of `suite/` and `specs/`, and with a corpus those of its `examples` and `perf`, for tiers also its
//! `tlc-tests`. Times and the number of workers are left out of the comparison, nothing else. A model that does not end
//! within the time limit on one worker is skipped, and counted.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::Options;
use crate::run::run as run_model;
use crate::{suite, table};

/// The runs that must agree: how each is called, and its arguments.
type Runs = &'static [(&'static str, &'static [&'static str])];

const WORKERS: Runs = &[
    ("1 worker", &["--workers", "1"]),
    ("2 workers", &["--workers", "2"]),
    ("3 workers", &["--workers", "3"]),
    ("4 workers", &["--workers", "4"]),
    ("8 workers", &["--workers", "8"]),
];

/// The plain evaluator is the oracle of the one that remembers.
const TIERS: Runs =
    &[("remembering", &["--workers", "1"]), ("plain", &["--workers", "1", "--plain"])];

struct Case {
    name: String,
    folder: PathBuf,
    module: String,
    config: Option<String>,
    /// Dumps are compared, too.
    dumps: bool,
}

pub(crate) fn run(options: &Options<'_>) -> bool {
    let binary = options.binary();
    let binary = binary.canonicalize().unwrap_or(binary);
    let filter = options.get("--filter").unwrap_or("");
    let limit = options.get("--timeout").and_then(|it| it.parse().ok()).unwrap_or(20);
    let limit = Duration::from_secs(limit);
    let allowed = options.get("--misses").and_then(|it| it.parse().ok()).unwrap_or(0);
    let corpus = options.get("--corpus").map(Path::new).and_then(|it| it.canonicalize().ok());
    let of_tiers = options.get("--of") == Some("tiers");
    let (runs, suites) = if of_tiers {
        (TIERS, &["examples", "perf", "tlc-tests"][..])
    } else {
        (WORKERS, &["examples", "perf"][..])
    };
    let mut all = Vec::new();
    let mut read = own_cases(&mut all);
    match &corpus {
        Some(corpus) => {
            for name in suites {
                read = read.and(corpus_cases(corpus, name, &mut all));
            }
        }
        None => println!("determinism of a corpus: SKIPPED, none is given or there"),
    }
    if let Err(error) = read {
        println!("{error}");
        return false;
    }
    // Dumps are asked of `tlc`, which has one tier.
    all.iter_mut().for_each(|it| it.dumps &= !of_tiers);
    let library = corpus.map(|it| it.join("community"));
    let (mut same, mut differ, mut slow) = (0, 0, 0);
    for case in all.iter().filter(|it| it.name.contains(filter)) {
        match compare(&binary, case, runs, library.as_deref(), limit) {
            Ok(true) => same += 1,
            Ok(false) => {
                slow += 1;
                println!("slow {}", case.name);
            }
            Err(what) => {
                differ += 1;
                println!("DIFF {}: {what}", case.name);
            }
        }
    }
    println!("determinism: {same} the same, {differ} different, {slow} not within the time");
    differ <= allowed
}

fn own_cases(all: &mut Vec<Case>) -> Result<(), String> {
    for top in ["suite", "specs"] {
        for case in suite::cases(&crate::root().join(top))? {
            let folder = case.folder.file_name().unwrap_or_default().to_string_lossy();
            all.push(Case {
                name: format!("{top}/{folder}/{}", case.config),
                module: format!("{}.tla", case.module),
                config: Some(format!("{}.cfg", case.config)),
                folder: case.folder,
                dumps: true,
            });
        }
    }
    Ok(())
}

fn corpus_cases(corpus: &Path, suite: &str, all: &mut Vec<Case>) -> Result<(), String> {
    let root = corpus.join(suite);
    for row in table::read(&root.join("expected.tsv"))? {
        let simulates = ["-simulate", "-generate"].iter().any(|it| row.get("flags").contains(it));
        let mode = row.get("mode");
        if simulates || !(mode.is_empty() || mode.starts_with("exhaustive")) {
            continue;
        }
        let module = root.join(row.get("module_path"));
        let folder = module.parent().unwrap_or(&root).to_path_buf();
        // A configuration may stand in the module itself.
        let config = Some(row.get("cfg_path")).filter(|it| !it.is_empty() && !it.ends_with(".tla"));
        all.push(Case {
            name: format!("{suite}/{}", config.unwrap_or(row.get("module_path"))),
            module: module.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            config: config.map(|it| root.join(it).display().to_string()),
            folder,
            dumps: suite != "perf",
        });
    }
    Ok(())
}

/// Are the bytes the same? `Ok(false)`: nobody waited that long.
fn compare(
    binary: &Path,
    case: &Case,
    runs: Runs,
    library: Option<&Path>,
    limit: Duration,
) -> Result<bool, String> {
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut first: Option<(Option<i32>, String)> = None;
    let mut limit = limit;
    for (label, arguments) in runs {
        let mut words: Vec<String> = ["check", "--format", "json"].map(str::to_owned).into();
        words.extend(arguments.iter().map(|it| (*it).to_owned()));
        if let Some(config) = &case.config {
            words.extend(["--config".to_owned(), config.clone()]);
        }
        words.push(case.module.clone());
        let it = run_model(binary, &words, &case.folder, library, limit);
        if it.status.is_none() {
            // Of tiers one is a lot slower.
            return if first.is_none() || arguments.contains(&"--plain") {
                Ok(false)
            } else {
                Err(format!("{label}: not within the time, one was"))
            };
        }
        let mut bytes = without_times(&it.out);
        // The dump of a small graph, and of every graph whose search ends well.
        let states = bytes.rsplit("\"distinct\":").next().unwrap_or("");
        let states: String = states.chars().take_while(char::is_ascii_digit).collect();
        if case.dumps
            && let ["--workers", workers] = arguments
            && states.parse().is_ok_and(|n: u64| n < 20_000)
        {
            let dump = scratch.path().join("graph.dot");
            let mut words: Vec<String> =
                ["tlc", "-noTE", "-workers", *workers, "-dump", "dot,actionlabels,colorize"]
                    .map(str::to_owned)
                    .into();
            words.push(dump.display().to_string());
            if let Some(config) = &case.config {
                words.extend(["-config".to_owned(), config.clone()]);
            }
            words.push(case.module.clone());
            // Of the report itself only the status counts: it speaks of times.
            let it = run_model(binary, &words, &case.folder, library, limit);
            if it.status.is_none() {
                return Ok(false);
            }
            bytes += &format!("{:?}", it.status);
            bytes += &std::fs::read_to_string(&dump).unwrap_or_else(|error| error.to_string());
            let _ = std::fs::remove_file(&dump);
        }
        let here = (it.status, bytes);
        match &first {
            None => {
                first = Some(here);
                // Who is waited for once is waited for again: the machine may be busier, the cores fewer than the workers.
                limit *= 5;
            }
            Some(one) if *one != here => {
                return Err(format!(
                    "{label}: status {:?} with the first, {:?} now; {}",
                    one.0,
                    here.0,
                    difference(&one.1, &here.1)
                ));
            }
            Some(_) => {}
        }
    }
    Ok(true)
}

/// A report without what speaks of the run alone.
fn without_times(out: &str) -> String {
    let last = out.lines().last().unwrap_or("");
    let before = &out[..out.len() - last.len().min(out.len())];
    let Ok(mut summary) = serde_json::from_str::<Value>(last) else { return out.to_owned() };
    if let Some(map) = summary.as_object_mut() {
        map.remove("seconds");
        map.remove("workers");
    }
    format!("{before}{summary}")
}

/// Where two texts part, in a few words.
fn difference(a: &str, b: &str) -> String {
    let at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let cut = |text: &str| {
        let from = at.saturating_sub(30);
        String::from_utf8_lossy(&text.as_bytes()[from..text.len().min(at + 40)]).into_owned()
    };
    format!("{:?} against {:?}", cut(a), cut(b))
}
