//! A folder with files, and runs of the binary in it.
//!
//! What differs from run to run (folders, times, dates, processes, versions) is replaced, so that
//! outputs can be compared.

use std::path::Path;
use std::process::{Command, Stdio};

/// A temporary folder with the files of one test.
pub(crate) struct Folder(tempfile::TempDir);

/// What a run printed, made comparable.
pub(crate) struct Ran {
    /// The exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Folder {
    /// Makes a folder of `(name, text)`.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file of the test");
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The binary, to be run in this folder.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command.args(words).current_dir(self.path()).stdin(Stdio::null()).env_remove("TLA_PATH");
        command
    }

    /// Runs the binary.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        let output = self.command(words).output().expect("the binary runs");
        Ran {
            status: output.status.code().unwrap_or(-1),
            out: stable(&String::from_utf8_lossy(&output.stdout)),
            err: stable(&String::from_utf8_lossy(&output.stderr)),
        }
    }
}

impl Ran {
    /// Status, standard output and standard error as one text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("exit {}\n", self.status);
        for (name, part) in [("out", &self.out), ("err", &self.err)] {
            if !part.is_empty() {
                text += &format!("--- {name}\n{}\n", part.trim_end());
            }
        }
        text
    }
}

/// Replaces what differs from run to run.
pub(crate) fn stable(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = line.replace(env!("CARGO_PKG_VERSION"), "VERSION");
        if line.starts_with("Running ") {
            line = "Running …\n".to_owned();
        }
        if line.contains("_TTrace_") {
            line = digits_after(&line, "_TTrace_");
        }
        while let Some(at) = line.find("s/min)") {
            // Rates are times, too.
            let from = line[..at].rfind('(').unwrap_or(at);
            line = format!("{}RATE{}", &line[..from], &line[at + "s/min)".len()..]);
        }
        if let Some(at) = line.find(" states a second)")
            && let Some(from) = line[..at].rfind(", ")
        {
            line = format!("{}{}", &line[..from], &line[at + " states a second".len()..]);
        }
        // How fast a run of half a second and more was.
        if line.contains(" states a second)")
            && let Some(at) = line.find(" s, ")
        {
            line = format!("{} s)\n", &line[..at]);
        }
        for (before, after) in [("Finished in ", " at"), ("(", " s)"), ("\"seconds\":", ",")] {
            line = between(&line, before, after);
        }
        out += &dates(&line);
    }
    out
}

/// Replaces a number between two texts, the unit behind it included.
fn between(line: &str, before: &str, after: &str) -> String {
    let Some(at) = line.find(before).map(|it| it + before.len()) else { return line.to_owned() };
    let Some(end) = line[at..].find(after).map(|it| it + at) else { return line.to_owned() };
    // The last number before the end: `(2 workers, 0.01 s)`.
    let from = line[at..end].rfind(", ").map_or(at, |it| at + it + 2);
    let is_number = line[from..].starts_with(|it: char| it.is_ascii_digit());
    if !is_number {
        return line.to_owned();
    }
    format!("{}TIME{}", &line[..from], &line[end..])
}

fn digits_after(line: &str, mark: &str) -> String {
    let Some(at) = line.find(mark).map(|it| it + mark.len()) else { return line.to_owned() };
    let rest = line[at..].trim_start_matches(|it: char| it.is_ascii_digit());
    format!("{}N{rest}", &line[..at])
}

/// `2026-11-30 20:48:59` becomes DATE.
fn dates(line: &str) -> String {
    let shape = "dddd-dd-dd dd:dd:dd";
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        let here = chars[at..].iter().take(shape.len());
        let is_date = chars.len() - at >= shape.len()
            && here
                .zip(shape.chars())
                .all(|(ch, want)| if want == 'd' { ch.is_ascii_digit() } else { *ch == want });
        if is_date {
            out += "DATE";
            at += shape.len();
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}
