//! Models with recorded results (`expected.tsv`), run through `lockstep tlc` in copies of their
//! folders. A corpus is other people's work and is not in the repository; it is found by path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Options;
use crate::run::{counts, run as run_model};
use crate::table::{self, Row};

/// Runs the suites named; true when there are no more misses than allowed.
pub(crate) fn run(options: &Options<'_>) -> bool {
    let binary = options.binary();
    let binary = binary.canonicalize().unwrap_or(binary);
    let corpus =
        options.get("--corpus").map_or_else(|| PathBuf::from("../shared/corpus"), PathBuf::from);
    let Ok(corpus) = corpus.canonicalize() else {
        println!("SKIPPED: there is no corpus at {}", corpus.display());
        return true;
    };
    let filter = options.get("--filter").unwrap_or("");
    let limit = options.get("--timeout").and_then(|it| it.parse().ok()).unwrap_or(120);
    let allowed = options.get("--misses").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut misses = 0;
    for suite in options.get("--suite").unwrap_or("examples,tlc-tests").split(',') {
        let (mut good, mut all) = (0, 0);
        let root = corpus.join(suite);
        let rows = match table::read(&root.join("expected.tsv")) {
            Ok(it) => it,
            Err(error) => {
                println!("{error}");
                return false;
            }
        };
        for row in rows {
            let name = if row.get("id").is_empty() { row.get("cfg_path") } else { row.get("id") };
            if !name.contains(filter) {
                continue;
            }
            all += 1;
            match model(&binary, &corpus, &root, &row, Duration::from_secs(limit)) {
                Ok(problems) if problems.is_empty() => good += 1,
                Ok(problems) => println!("FAIL {suite} {name}: {}", problems.join("; ")),
                Err(error) => println!("FAIL {suite} {name}: {error}"),
            }
        }
        println!("{suite} {good}/{all}");
        misses += all - good;
    }
    misses <= allowed
}

fn model(
    binary: &Path,
    corpus: &Path,
    root: &Path,
    row: &Row,
    limit: Duration,
) -> Result<Vec<String>, String> {
    let module = root.join(row.get("module_path"));
    let folder = module.parent().ok_or("a module without a folder")?;
    let work = tempfile::tempdir().map_err(|error| error.to_string())?;
    copy(folder, work.path()).map_err(|error| error.to_string())?;
    let mut words = vec!["tlc".to_owned()];
    words.extend(row.get("flags").split_whitespace().map(str::to_owned));
    if !row.get("cfg_path").is_empty() {
        words.push("-config".to_owned());
        words.push(relative(&root.join(row.get("cfg_path")), folder));
    }
    words.push(relative(&module, folder));
    let library = corpus.join("community");
    let it = run_model(binary, &words, work.path(), Some(&library), limit);
    let Some(status) = it.status else {
        return Ok(vec![format!("timeout after {:.0} s", it.seconds)]);
    };
    let mut problems = Vec::new();
    if row.get("exit") != status.to_string() {
        problems.push(format!("exit {status}, want {}", row.get("exit")));
    }
    let walks = row.get("flags").contains("-simulate") || row.get("flags").contains("-generate");
    if row.get("result") == "success" && !walks {
        let [generated, distinct, left, depth] = counts(&it.out);
        let got =
            [("generated", generated), ("distinct", distinct), ("left", left), ("depth", depth)];
        for (name, got) in got {
            if let Some(want) = row.number(name)
                && got != Some(want)
            {
                let got = got.map_or_else(|| "none".to_owned(), |it| it.to_string());
                problems.push(format!("{name} {got}, want {want}"));
            }
        }
    }
    Ok(problems)
}

/// A path as seen from a folder that holds it; corpora keep models beside their modules.
fn relative(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
