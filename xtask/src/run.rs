//! Running the binary on one model, with a time limit, and reading its report.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a run printed and how it ended.
pub(crate) struct Run {
    /// The exit status; `None` after the time limit.
    pub(crate) status: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Wall-clock time.
    pub(crate) seconds: f64,
}

/// Runs `binary words` in `folder`.
pub(crate) fn run(
    binary: &Path,
    words: &[String],
    folder: &Path,
    library: Option<&Path>,
    limit: Duration,
) -> Run {
    let start = Instant::now();
    let mut command = Command::new(binary);
    command.args(words).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(library) = library {
        command.env("TLA_PATH", library);
    }
    let mut child = match command.spawn() {
        Ok(it) => it,
        Err(error) => {
            return Run { status: None, out: format!("{error}"), seconds: 0.0 };
        }
    };
    let mut pipe = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = &mut pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if start.elapsed() > limit => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => break None,
        }
    };
    let out = reader.join().unwrap_or_default();
    Run { status, out, seconds: start.elapsed().as_secs_f64() }
}

/// The counts of TLC's summary: generated, distinct, left, depth.
pub(crate) fn counts(out: &str) -> [Option<u64>; 4] {
    let number = |text: &str| text.replace(',', "").parse().ok();
    let mut found = [None; 4];
    for line in out.lines() {
        if line.starts_with("Progress") {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [
            generated,
            "states",
            "generated,",
            distinct,
            "distinct",
            "states",
            "found,",
            left,
            ..,
        ] = words[..]
        {
            found[0] = number(generated);
            found[1] = number(distinct);
            found[2] = number(left);
        }
        if let Some(depth) = line.strip_prefix("The depth of the complete state graph search is ") {
            found[3] = number(depth.trim_end_matches('.'));
        }
    }
    found
}
