//! Checkpoints: a run that is killed at any moment goes on as if it never had been.
//!
//! Runs are killed for real (SIGKILL) after a while that grows from round to round, so that the kill falls before, into and
//! after the writing of checkpoints. The moments are not exact; what must hold holds at all of them.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use crate::run::Folder;

/// Some thousand states on some dozen levels, large ones and small ones, with a behaviour to a state that is wanted.
const SPEC: &str = "---- MODULE Sums ----
EXTENDS Naturals, TLC
VARIABLES x, y, z
Init == x = 0 /\\ y = 0 /\\ z = {}
Next == \\/ x < 60 /\\ x' = x + 1 /\\ UNCHANGED <<y, z>>
        \\/ y < 60 /\\ y' = y + 1 /\\ UNCHANGED <<x, z>>
        \\/ \\E s \\in {\"a\", \"b\", \"c\"} : z' = z \\union {s, ToString(x % 2)} /\\ UNCHANGED <<x, y>>
Spec == Init /\\ [][Next]_<<x, y, z>> /\\ WF_<<x, y, z>>(Next)
Never == ~(x = 40 /\\ y = 41 /\\ z = {\"a\", \"0\"})
Far == <>(x = 60 /\\ y = 60)
Farther == <>(x = 61)
====
";

const MODELS: [(&str, &str); 4] = [
    ("Ok.cfg", "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE\n"),
    ("Bad.cfg", "INIT Init\nNEXT Next\nINVARIANT Never\nCHECK_DEADLOCK FALSE\n"),
    ("Live.cfg", "SPECIFICATION Spec\nPROPERTY Far\nCHECK_DEADLOCK FALSE\n"),
    ("Lasso.cfg", "SPECIFICATION Spec\nPROPERTY Farther\nCHECK_DEADLOCK FALSE\n"),
];

fn folder() -> Folder {
    let mut files = vec![("Sums.tla", SPEC)];
    files.extend(MODELS);
    Folder::new(&files)
}

/// Runs a check and gives its exit status and its summary.
fn checked(folder: &Folder, words: &[&str]) -> (Option<i32>, serde_json::Value) {
    let output = folder.command(words).output().expect("the binary runs");
    (output.status.code(), summary(&String::from_utf8_lossy(&output.stdout)))
}

/// The summary without what tells the time and the number of workers.
fn summary(out: &str) -> serde_json::Value {
    let last = out.lines().last().unwrap_or_default();
    let mut it: serde_json::Value = serde_json::from_str(last).expect("a summary");
    let fields = it.as_object_mut().expect("an object");
    fields.remove("seconds");
    fields.remove("workers");
    it
}

/// Kills runs of each model until so many of each were recovered from a checkpoint; how many runs it
/// took. Every other run counts evaluations, which is another evaluator.
fn killed_and_recovered(wanted: u32) -> u32 {
    let mut killed = 0;
    for (config, _) in MODELS {
        let folder = folder();
        let mut recovered = 0;
        let mut expected = Vec::new();
        for coverage in [&[][..], &["--coverage"][..]] {
            let mut words = vec!["check", "Sums.tla", "-c", config, "--format", "json", "-w", "1"];
            words.extend(coverage);
            let started = Instant::now();
            let outcome = checked(&folder, &words);
            expected.push((coverage, outcome, started.elapsed()));
        }
        let lasso = &expected[0].1.1["lasso"];
        assert_eq!(lasso.is_null(), config != "Lasso.cfg", "{config}: {lasso}");
        for round in 0..wanted * 8 {
            if recovered == wanted {
                break;
            }
            let (coverage, expected, took) = &expected[round as usize % 2];
            let kept = format!("kept{round}");
            let mut words = vec!["check", "Sums.tla", "-c", config, "--format", "json", "-w"];
            words.push(["1", "2", "3"][round as usize % 3]);
            words.extend(["--checkpoint", &kept, "--checkpoint-levels", "1"]);
            words.extend(*coverage);
            let mut child = folder
                .command(&words)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the binary runs");
            // Spread evenly over somewhat more than the time of an undisturbed run.
            let part = (f64::from(round + 1) * 0.618_033_988_75).fract();
            sleep(took.mul_f64(part * 1.5));
            let _ = child.kill();
            let _ = child.wait();
            killed += 1;
            if !folder.path().join(&kept).join("checkpoint").is_file() {
                // Killed before the first checkpoint, or done.
                continue;
            }
            recovered += 1;
            let workers = ["4", "1", "2"][round as usize % 3];
            let mut words = vec!["check", "Sums.tla", "-c", config, "--format", "json", "-w"];
            words.extend([workers, "--recover", &kept]);
            words.extend(*coverage);
            assert_eq!(checked(&folder, &words), *expected, "{config}, round {round}");
        }
        assert_eq!(recovered, wanted, "{config}: too few runs were killed with a checkpoint");
    }
    killed
}

#[test]
#[expect(clippy::print_stderr, reason = "the numbers are what a longer run is made for")]
fn a_killed_run_goes_on_as_if_it_had_not_been() {
    // More of each model by LOCKSTEP_KILLS=n.
    let wanted = std::env::var("LOCKSTEP_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(3);
    let killed = killed_and_recovered(wanted);
    let recovered = wanted as usize * MODELS.len();
    eprintln!("{killed} runs killed, {recovered} recovered from a checkpoint");
}

/// Stops at a limit, which leaves the last checkpoint.
fn stopped(folder: &Folder) {
    let ran = folder.run(&[
        "check",
        "Sums.tla",
        "-c",
        "Ok.cfg",
        "--max-depth",
        "50",
        "--checkpoint",
        "kept",
        "--checkpoint-levels",
        "1",
    ]);
    assert!(folder.path().join("kept/checkpoint").is_file(), "{}", ran.text());
}

#[test]
fn what_is_no_checkpoint_of_this_run_is_refused_by_name() {
    let folder = folder();
    stopped(&folder);
    let recover = |words: &[&str]| {
        let mut all = vec!["check", "Sums.tla", "--recover", "kept"];
        all.extend(words);
        let ran = folder.run(&all);
        assert_eq!(ran.status, 153, "{}", ran.text());
        ran.text()
    };
    let other = "of another specification or model, or of other options";
    assert!(recover(&["-c", "Bad.cfg"]).contains(other));
    assert!(recover(&["-c", "Ok.cfg", "--deadlock"]).contains(other));
    assert!(recover(&["-c", "Ok.cfg", "--coverage"]).contains("made with other options"));
    let path = folder.path().join("kept/checkpoint");
    let whole = std::fs::read(&path).expect("the checkpoint");
    for at in [5, 40, whole.len() / 2, whole.len() - 3] {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        std::fs::write(&path, &damaged).expect("a file of the test");
        let text = recover(&["-c", "Ok.cfg"]);
        assert!(text.contains("damaged") || text.contains("no checkpoint"), "{at}: {text}");
        std::fs::write(&path, &whole[..at]).expect("a file of the test");
        let text = recover(&["-c", "Ok.cfg"]);
        assert!(text.contains("cut short") || text.contains("no checkpoint"), "{at}: {text}");
    }
    std::fs::remove_file(&path).expect("it was there");
    assert!(recover(&["-c", "Ok.cfg"]).contains("No such file"));
}

#[test]
fn tlc_recovers_and_says_so() {
    let folder = folder();
    let whole = folder.run(&["tlc", "-noTE", "-config", "Bad.cfg", "Sums"]);
    assert_eq!(whole.status, 12, "{}", whole.text());
    let kept = folder.run(&[
        "tlc",
        "-noTE",
        "-config",
        "Bad.cfg",
        "-checkpointLevels",
        "9",
        "-metadir",
        "meta",
        "Sums",
    ]);
    assert!(kept.out.contains("Checkpointing of run meta/"), "{}", kept.out);
    assert!(kept.out.contains("Checkpointing completed at ("), "{}", kept.out);
    // The run has come to its end, so nothing is left to go on from.
    let left = std::fs::read_dir(folder.path().join("meta")).map_or(0, Iterator::count);
    assert_eq!(left, 0);
    stopped(&folder);
    let again = folder.run(&["tlc", "-noTE", "-config", "Bad.cfg", "-recover", "kept", "Sums"]);
    assert!(again.out.contains("another specification"), "{}", again.out);
}
