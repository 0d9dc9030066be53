//! Parses mutated text for a while: `fuzz_parse [--seconds 600] [--seed 1] [FILE.tla …]`.
//!
//! No input may panic the parser, the printer or the renderer, or take longer than its size
//! allows; what is accepted must print to text with the same tree. Stops at the first failure,
//! which it leaves in `fuzz-failure.tla`. Without files it mutates the crate's own fixtures.
#![expect(clippy::print_stdout, reason = "an example is a program")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use lockstep_syntax::{SourceFile, SourceMap, parse, printer::print, render::render};

/// SplitMix64: small, and the same everywhere for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Text put in by mutations: what makes the lexer or parser change its mind.
const PIECES: &[&str] = &[
    "(*",
    "*)",
    "\\*",
    "\"",
    "\\",
    "====",
    "----",
    "\n---- MODULE M ----\n",
    "/\\ ",
    "\\/ ",
    "\n",
    "\n  ",
    "\t",
    "(",
    ")",
    "[",
    "]",
    "]_v",
    "{",
    "}",
    "<<",
    ">>",
    ">>_",
    "==",
    "=",
    "<-",
    "->",
    "|->",
    ":",
    "::",
    "!",
    "!!",
    "'",
    ".",
    "<1>a. ",
    "<*>",
    "<+> ",
    "QED",
    "BY ",
    "PROOF ",
    "CASE ",
    "[] ",
    "OTHER -> ",
    "IF ",
    " THEN ",
    " ELSE ",
    "LET x == 1 IN ",
    "LAMBDA x : ",
    "\\A x \\in S : ",
    "CHOOSE x : ",
    "\\in ",
    "\\X ",
    "- ",
    "-.",
    "WF_",
    "\\o17",
    "1.5",
    "ASSUME ",
    " PROVE ",
    "NEW ",
    "∧",
    "⟨",
    "⟩_",
    "ℕ",
    "é",
    "\r",
    "LOCAL ",
    "EXCEPT ",
    "@",
    "INSTANCE M WITH x <- ",
    "(+)",
    "_",
    "lab :: ",
    "DEFINE x == 1\n",
    "SUFFICES ",
    "THEOREM ",
    "SUBSET ",
    "~",
    "x = 1 /\\ ",
    "~> ",
    "^+",
];

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(random: &mut Random, seeds: &[String]) -> String {
    let mut text = seeds[random.below(seeds.len())].clone();
    // A window keeps runs short.
    if text.len() > 4_000 && random.below(10) > 0 {
        let start = boundary(&text, random.below(text.len()));
        let end = boundary(&text, start + 3_000);
        text = format!("---- MODULE T ----\n{}", &text[start..end]);
    }
    for _ in 0..=random.below(8) {
        let at = boundary(&text, random.below(text.len() + 1));
        let end = boundary(&text, at + random.below(30));
        match random.below(8) {
            0 => text.replace_range(at..end, ""),
            1 => {
                let piece = text[at..end].to_owned();
                let to = boundary(&text, random.below(text.len() + 1));
                text.insert_str(to, &piece);
            }
            2 => {
                let other = &seeds[random.below(seeds.len())];
                let from = boundary(other, random.below(other.len()));
                let until = boundary(other, from + random.below(200));
                text.insert_str(at, &other[from..until]);
            }
            3 => {
                // Depth: the same piece many times.
                let piece = PIECES[random.below(PIECES.len())];
                text.insert_str(at, &piece.repeat(1 + random.below(300)));
            }
            4 => {
                let ch = text[at..].chars().next().unwrap_or(' ');
                text.replace_range(at..boundary(&text, at + ch.len_utf8()), "");
            }
            _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        }
    }
    text
}

/// What is wrong with this input, if anything.
fn check(text: &str) -> Result<bool, String> {
    let limit = Duration::from_millis(500 + text.len() as u64 / 20);
    let began = busy_time();
    let accepted = check_once(text)?;
    let taken = busy_time().saturating_sub(began);
    if taken > limit {
        return Err(format!("{} bytes take {taken:?}", text.len()));
    }
    Ok(accepted)
}

/// The time this thread has run, which other processes do not prolong; where the system does not
/// say, no limit can fail.
fn busy_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0);
    Duration::from_nanos(nanos)
}

fn check_once(text: &str) -> Result<bool, String> {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("fuzz.tla", text));
    let parsed = parse(file, sources.file(file));
    render(&sources, &parsed.diagnostics, false);
    let tree = parsed.ast.debug_tree();
    let accepted = parsed.diagnostics.is_empty() && parsed.deferred.iter().all(Vec::is_empty);
    if accepted && !parsed.ast.modules.is_empty() {
        let printed = print(&parsed.ast);
        let again = sources.add(SourceFile::new("printed.tla", printed.as_str()));
        let again = parse(again, sources.file(again));
        if !again.diagnostics.is_empty() || again.ast.debug_tree() != tree {
            return Err(format!("printing changes the tree:\n{printed}"));
        }
    }
    Ok(accepted)
}

fn fixtures() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data");
    let folders = [data.join("ok"), data.join("err")];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "tla"));
    paths.sort();
    paths
}

fn main() -> ExitCode {
    let (mut seconds, mut seed, mut paths) = (600, 1, Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seconds" => seconds = args.next().and_then(|it| it.parse().ok()).unwrap_or(600),
            "--seed" => seed = args.next().and_then(|it| it.parse().ok()).unwrap_or(1),
            path => paths.push(PathBuf::from(path)),
        }
    }
    if paths.is_empty() {
        paths = fixtures();
    }
    let seeds: Vec<String> =
        paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    let mut random = Random(seed);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut n_inputs, mut n_accepted, mut n_bytes) = (0_u64, 0_u64, 0);
    while Instant::now() < end {
        let text = mutate(&mut random, &seeds);
        let result = std::panic::catch_unwind(|| check(&text));
        let problem = match result {
            Ok(Ok(accepted)) => {
                n_inputs += 1;
                n_accepted += u64::from(accepted);
                n_bytes += text.len();
                continue;
            }
            Ok(Err(problem)) => problem,
            Err(_) => "panic".to_owned(),
        };
        let saved = std::fs::write("fuzz-failure.tla", &text);
        println!("input {n_inputs} of seed {seed}: {problem}");
        println!("saved as fuzz-failure.tla: {saved:?}");
        return ExitCode::FAILURE;
    }
    println!(
        "seed {seed}: {n_inputs} inputs, {} MB, {n_accepted} accepted and printed, no failure",
        n_bytes / 1_000_000
    );
    ExitCode::SUCCESS
}
