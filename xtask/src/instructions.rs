//! Instructions a generated state, against recorded figures: a slow-down that no noise of the machine can hide or feign.
//!
//! The figures stand in `bench/instructions.tsv`, for release builds on x86-64. Counting needs valgrind; without it the check
//! is skipped, and says so.

use std::process::{Command, Stdio};

use crate::Options;
use crate::bench::instructions;
use crate::table;

/// More than the recorded figure by this much fails.
const TOLERANCE_PERCENT: u64 = 10;

pub(crate) fn run(options: &Options<'_>) -> bool {
    let found = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !found.is_ok_and(|it| it.success()) {
        println!("instructions: SKIPPED, valgrind is not there");
        return true;
    }
    if std::env::consts::ARCH != "x86_64" {
        println!("instructions: SKIPPED, the figures are for x86-64");
        return true;
    }
    let binary = options.binary();
    let binary = binary.canonicalize().unwrap_or(binary);
    let path = crate::root().join("bench/instructions.tsv");
    let rows = match table::read(&path) {
        Ok(it) => it,
        Err(error) => {
            println!("{error}");
            return false;
        }
    };
    let bless = options.0.iter().any(|it| it == "--bless");
    let mut text = "folder\tmodule\tconfig\tgenerated\tinstructions\n".to_owned();
    let mut good = true;
    for row in &rows {
        let (folder, module, config) = (row.get("folder"), row.get("module"), row.get("config"));
        let generated = row.number("generated").unwrap_or(1).max(1);
        let Some(all) = instructions(&binary, &crate::root().join(folder), module, config) else {
            println!("FAIL {folder}/{config}: no count from valgrind");
            good = false;
            continue;
        };
        let (each, want) = (all / generated, row.number("instructions").unwrap_or(0));
        text += &format!("{folder}\t{module}\t{config}\t{generated}\t{each}\n");
        let verdict = if each > want + want * TOLERANCE_PERCENT / 100 {
            good = bless;
            "SLOWER"
        } else if each + want * TOLERANCE_PERCENT / 100 < want {
            "faster: record it with --bless"
        } else {
            "ok"
        };
        println!(
            "{folder}/{config}: {each} instructions a generated state, recorded {want}: {verdict}"
        );
    }
    if bless && let Err(error) = std::fs::write(&path, text) {
        println!("{}: {error}", path.display());
        return false;
    }
    good
}
