//! Whole models as a table: what a search gives a second, and what it takes in processor time, memory and instructions.
//!
//! The models of `suite/` and `specs/`, and with `--corpus DIR` those of its folder `perf`. Each is run as a process, with
//! start-up; the best of several runs counts, because others use the machine, too.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Options;
use crate::suite;
use crate::table;

/// Models whose instructions are counted when nothing else is asked for: under valgrind a run takes fifty times as long.
const FEW: u64 = 200_000;

/// A model to run.
struct Model {
    name: String,
    folder: PathBuf,
    module: String,
    config: String,
    generated: u64,
}

/// What a run took and gave.
struct Figures {
    generated: u64,
    distinct: u64,
    wall: f64,
    cpu: f64,
    peak: u64,
}

pub(crate) fn run(options: &Options<'_>) -> bool {
    let binary = options.binary();
    let Ok(binary) = binary.canonicalize() else {
        println!("{} is not there: cargo build --release --bin lockstep", binary.display());
        return false;
    };
    let number = |name: &str, usual: u64| -> u64 {
        options.get(name).and_then(|it| it.parse().ok()).unwrap_or(usual)
    };
    let filter = options.get("--filter").unwrap_or("");
    let least = number("--least", 1000);
    let runs = number("--runs", 2);
    let workers = options.get("--workers").unwrap_or("1,2");
    let most_counted = number("--count-up-to", FEW);
    let mut models = match own_models() {
        Ok(it) => it,
        Err(error) => {
            println!("{error}");
            return false;
        }
    };
    models.retain(|it| it.generated >= least);
    let corpus = options.get("--corpus").map(Path::new).and_then(|it| it.canonicalize().ok());
    if let Some(corpus) = &corpus {
        match perf_models(corpus) {
            Ok(it) => models.extend(it),
            Err(error) => {
                println!("{error}");
                return false;
            }
        }
    } else if options.get("--corpus").is_some() {
        println!("SKIPPED: there is no corpus at the path given");
    }
    let library = corpus.map(|it| it.join("community"));
    println!(
        "{:<34} {:>7} {:>10} {:>9} {:>8} {:>8} {:>11} {:>10} {:>8} {:>9} {:>8}",
        "model",
        "workers",
        "generated",
        "distinct",
        "wall s",
        "CPU s",
        "generated/s",
        "distinct/s",
        "peak MB",
        "B/state",
        "instr"
    );
    let mut good = true;
    for model in models.iter().filter(|it| it.name.contains(filter)) {
        let mut first = None;
        for count in workers.split(',') {
            let best = (0..runs.max(1))
                .filter_map(|_| measure(&binary, model, count, library.as_deref()))
                .min_by(|a, b| a.wall.total_cmp(&b.wall));
            let Some(it) = best else {
                println!("{:<34} {count:>7} did not end well", model.name);
                good = false;
                continue;
            };
            if it.generated != model.generated {
                println!("{:<34} generated {}, want {}", model.name, it.generated, model.generated);
                good = false;
            }
            let counted = if count == "1" && it.generated <= most_counted {
                instructions(&binary, &model.folder, &model.module, &model.config)
            } else {
                None
            };
            let counted =
                counted.map_or("-".to_owned(), |all| (all / it.generated.max(1)).to_string());
            println!(
                "{:<34} {count:>7} {:>10} {:>9} {:>8.3} {:>8.2} {:>11.0} {:>10.0} {:>8.1} {:>9.1} {counted:>8}{}",
                model.name,
                it.generated,
                it.distinct,
                it.wall,
                it.cpu,
                it.generated as f64 / it.wall,
                it.distinct as f64 / it.wall,
                it.peak as f64 / 1e6,
                it.peak as f64 / it.distinct.max(1) as f64,
                match first {
                    Some(one) => format!("  x{:.2}", one / it.wall),
                    None => String::new(),
                }
            );
            first.get_or_insert(it.wall);
        }
    }
    good
}

/// The models of `suite/` and `specs/` that end without an error.
fn own_models() -> Result<Vec<Model>, String> {
    let root = crate::root();
    let mut all = Vec::new();
    for top in ["suite", "specs"] {
        for case in suite::cases(&root.join(top))? {
            if case.exit == 0 {
                let folder = case.folder.file_name().unwrap_or_default().to_string_lossy();
                all.push(Model {
                    name: format!("{top}/{folder}/{}", case.config),
                    module: format!("{}.tla", case.module),
                    config: format!("{}.cfg", case.config),
                    generated: case.generated.unwrap_or(0),
                    folder: case.folder,
                });
            }
        }
    }
    Ok(all)
}

fn perf_models(corpus: &Path) -> Result<Vec<Model>, String> {
    let root = corpus.join("perf");
    let rows = table::read(&root.join("expected.tsv"))?;
    Ok(rows
        .iter()
        .map(|row| {
            let (module, config) = (Path::new(row.get("module_path")), row.get("cfg_path"));
            let name =
                |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Model {
                name: format!("perf/{}", name(Path::new(config)).trim_end_matches(".cfg")),
                folder: root.join(module.parent().unwrap_or(Path::new(""))),
                module: name(module),
                config: name(Path::new(config)),
                generated: row.number("generated").unwrap_or(0),
            }
        })
        .collect())
}

fn measure(binary: &Path, model: &Model, workers: &str, library: Option<&Path>) -> Option<Figures> {
    let mut command = Command::new(binary);
    command
        .current_dir(&model.folder)
        .args(["check", "--format", "json", "--workers", workers, "--config", &model.config])
        .arg(&model.module)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(library) = library {
        command.env("TLA_PATH", library);
    }
    let (start, cpu) = (Instant::now(), children_seconds());
    let mut child = command.spawn().ok()?;
    let mut pipe = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut pipe, &mut text).map(|_| text)
    });
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        peak = peak.max(peak_bytes(&status));
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Err(_) => return None,
        }
    };
    let wall = start.elapsed().as_secs_f64();
    let text = reader.join().ok()?.ok()?;
    let summary: Value = serde_json::from_str(text.lines().last()?).ok()?;
    ended.success().then_some(Figures {
        generated: summary["generated"].as_u64()?,
        distinct: summary["distinct"].as_u64()?,
        wall,
        cpu: children_seconds() - cpu,
        peak,
    })
}

/// Processor seconds of all children that have ended.
fn children_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or("").split(' ').skip(13).take(2);
    fields.filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory a process has held so far.
fn peak_bytes(status: &str) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or("");
    line.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Instructions of a whole run on one worker, counted by valgrind; `None` without it.
pub(crate) fn instructions(
    binary: &Path,
    folder: &Path,
    module: &str,
    config: &str,
) -> Option<u64> {
    let output = Command::new("valgrind")
        .current_dir(folder)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(binary)
        .args(["check", "--format", "json", "--workers", "1", "--config", config, module])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rev().find_map(|it| it.split_once("Collected : "))?;
    line.1.trim().parse().ok()
}
