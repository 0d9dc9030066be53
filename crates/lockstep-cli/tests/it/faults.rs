//! What goes wrong outside the specification or in the midst of it: a full disk, a reader that goes away, memory that does
//! not suffice, an error in the middle of a level. Each ends with its verdict and what was explored so far.

use std::process::Stdio;

use crate::run::Folder;

/// Wide levels without end; from level 83 on some states cannot be evaluated.
const WIDE: &str = "\
---- MODULE Wide ----
EXTENDS Naturals
VARIABLES a, b, c
Init == a = 0 /\\ b = 0 /\\ c = 0
Next == \\/ a' = a + 1 /\\ UNCHANGED <<b, c>>
        \\/ b' = b + 1 /\\ UNCHANGED <<a, c>>
        \\/ c' = c + 1 /\\ UNCHANGED <<a, b>>
        \\/ a > 40 /\\ b > 40 /\\ a' = a + \"one\" /\\ UNCHANGED <<b, c>>
====
";

fn folder() -> Folder {
    Folder::new(&[("Wide.tla", WIDE), ("Wide.cfg", "INIT Init NEXT Next")])
}

/// Three states, nothing wrong.
const SMALL: &str =
    "---- MODULE Small ----\nVARIABLE x\nInit == x \\in {1, 2, 3}\nNext == x' = x\n====\n";

fn small() -> Folder {
    Folder::new(&[("Small.tla", SMALL), ("Small.cfg", "INIT Init NEXT Next")])
}

#[test]
fn memory_that_does_not_suffice_is_a_limit() {
    for workers in ["1", "2", "3"] {
        // The table starts with 12.6 MB and would grow to four times that in the midst of a level.
        let words = ["check", "Wide.tla", "--format", "json", "-w", workers, "--max-memory", "20M"];
        let text = WIDE.replace("a > 40 /\\ b > 40", "FALSE");
        let folder = Folder::new(&[("Wide.tla", &text), ("Wide.cfg", "INIT Init NEXT Next")]);
        let ran = folder.run(&words);
        assert_eq!(ran.status, 152, "{}", ran.text());
        assert!(ran.out.contains("\"verdict\":\"limit\""), "{}", ran.out);
        assert!(ran.out.contains("--max-memory"), "{}", ran.out);
        assert!(!ran.out.contains("\"distinct\":0,"), "{}", ran.out);
    }
}

#[test]
fn an_error_in_the_middle_of_a_level_is_the_same_for_any_number_of_workers() {
    let mut first = None;
    for workers in ["1", "2", "3", "8"] {
        let ran = folder().run(&["check", "Wide.tla", "-w", workers]);
        assert!([75, 255].contains(&ran.status), "{}", ran.text());
        assert!(ran.out.contains("\"one\"") || ran.err.contains("\"one\""), "{}", ran.text());
        assert!(ran.out.contains("states generated"), "{}", ran.out);
        let text = ran
            .out
            .replace(&format!("({workers} worker"), "(n worker")
            .replace("workers", "worker");
        let text: Vec<String> =
            text.lines().map(|it| it.split(" worker,").next().unwrap_or(it).to_owned()).collect();
        assert_eq!(*first.get_or_insert_with(|| text.clone()), text, "{workers} workers");
    }
}

/// The device that is always full, where there is one that still is a device.
#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn full_disk() -> Option<&'static std::path::Path> {
    use std::os::unix::fs::FileTypeExt as _;
    let full = std::path::Path::new("/dev/full");
    let there = std::fs::metadata(full).is_ok_and(|it| it.file_type().is_char_device());
    if !there {
        eprintln!("SKIPPED: there is no /dev/full here");
    }
    there.then_some(full)
}

#[test]
#[cfg(unix)]
fn a_full_disk_under_a_report_is_said() {
    let Some(full) = full_disk() else { return };
    let folder = small();
    // TLC's dump has an ending of its own.
    std::os::unix::fs::symlink(full, folder.path().join("graph.dot")).expect("a link");
    for words in [
        &["check", "Small.tla", "--report", "json=/dev/full"][..],
        &["tlc", "-noTE", "-dump", "dot", "graph", "Small.tla"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.status, 153, "{words:?}: {}", ran.text());
        assert!(ran.text().contains("cannot be written: No space left"), "{}", ran.text());
        // The summary is there all the same.
        assert!(ran.out.contains("3 distinct"), "{}", ran.out);
        assert!(full_disk().is_some(), "a device must not be replaced by a file");
    }
}

#[test]
#[cfg(unix)]
fn a_full_disk_under_standard_output_is_said() {
    let Some(full) = full_disk() else { return };
    for format in ["text", "json", "tlc"] {
        let to = std::fs::OpenOptions::new().write(true).open(full).expect("the device");
        let folder = small();
        let mut command = folder.command(&["check", "Small.tla", "--format", format]);
        let ran = command.stdout(to).stderr(Stdio::piped()).output().expect("the binary runs");
        assert_eq!(ran.status.code(), Some(153), "{format}");
        let text = String::from_utf8_lossy(&ran.stderr);
        assert!(text.contains("cannot write to standard output"), "{text}");
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_the_run_with_a_message() {
    let folder = small();
    let mut command = folder.command(&["check", "Small.tla", "--format", "json"]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let ran = command.stdout(writer).stderr(Stdio::piped()).output().expect("the binary runs");
    assert_eq!(ran.status.code(), Some(153));
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(
        text.contains("cannot write to standard output") && !text.contains("panicked"),
        "{text}"
    );
}

#[test]
#[cfg(unix)]
fn a_closed_standard_output_keeps_the_verdict() {
    let folder = small();
    let binary = env!("CARGO_BIN_EXE_lockstep");
    let ran = std::process::Command::new("sh")
        .args(["-c", "exec \"$0\" check Small.tla >&-", binary])
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    assert_eq!(ran.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&ran.stderr).contains("panicked"));
}
