//! A signal ends a run with the summary so far, also in the middle of one long evaluation.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::Folder;

/// Sends SIGTERM after a while; the text of the run and how long it went on after that.
#[cfg(unix)]
fn terminated(folder: &Folder, words: &[&str]) -> (String, Duration) {
    let mut command = folder.command(words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(700));
    let sent = Command::new("kill").arg(child.id().to_string()).status().expect("kill runs");
    assert!(sent.success());
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (text, start.elapsed())
}

#[cfg(unix)]
#[test]
fn one_long_evaluation_is_ended() {
    let quantifiers = "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\n\
        Slow == \\E a, b, c \\in 1..1000000 : a + b + c = x - 3\nInit == x = 0\n\
        Next == x < 5 /\\ x' = x + 1 /\\ (x = 3 => Slow)\n====\n";
    let recursion = "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\nRECURSIVE Up(_, _)\n\
        Up(n, m) == IF n = 0 THEN TRUE ELSE Up(n - 1, <<m, 1>>) /\\ Up(n - 1, <<m, 2>>)\nInit == x = 0\n\
        Next == x < 5 /\\ x' = IF x = 3 /\\ Up(60, x) THEN 0 ELSE x + 1\n====\n";
    let set = "---- MODULE Long ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
        Next == x < 5 /\\ x' = IF x = 3 THEN CHOOSE s \\in SUBSET (1..60) : 61 \\in s ELSE x + 1\n\
        ====\n";
    for module in [quantifiers, recursion, set] {
        let folder = Folder::new(&[("Long.tla", module), ("Long.cfg", "INIT Init\nNEXT Next\n")]);
        let (text, took) = terminated(&folder, &["check", "-w", "1", "Long.tla"]);
        assert!(text.contains("ended by an interrupt"), "{text}");
        assert!(text.contains(" distinct, "), "{text}");
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}
