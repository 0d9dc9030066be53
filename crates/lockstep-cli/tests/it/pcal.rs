//! `lockstep pcal`.

use crate::run::Folder;

const ALGORITHM: &str = "---- MODULE M ----\nEXTENDS Integers\n(* --algorithm M { variable x = 0; { a: x := x + 1 } } *)\n====\n";

#[test]
fn the_module_is_translated_in_place() {
    let folder = Folder::new(&[("M.tla", ALGORITHM)]);
    let ran = folder.run(&["pcal", "M"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    assert_eq!(read("M.old"), ALGORITHM);
    assert!(read("M.cfg").starts_with("SPECIFICATION Spec\n"));
    assert!(read("M.tla").contains("/\\ x' = x + 1"));
    let before = read("M.tla");
    // Again: the same text, and the configuration is left alone.
    let ran = folder.run(&["pcal", "M.tla"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert_eq!(read("M.tla"), before);
    assert_eq!(folder.run(&["parse", "M.tla"]).status, 0);
}

#[test]
fn nothing_is_written_when_the_algorithm_is_wrong() {
    let text = ALGORITHM.replace("x := x + 1", "x = x + 1");
    let folder = Folder::new(&[("M.tla", &text)]);
    let ran = folder.run(&["pcal", "M"]);
    assert_eq!(ran.status, 150, "{}", ran.text());
    assert!(ran.err.contains("M.tla:3:"), "{}", ran.err);
    let names: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").collect();
    assert_eq!(names.len(), 1);
}

#[test]
fn mistakes_in_the_command_line() {
    let folder = Folder::new(&[("M.tla", ALGORITHM)]);
    assert_eq!(folder.run(&["pcal", "-foo", "M"]).status, 1);
    assert_eq!(folder.run(&["pcal"]).status, 1);
    assert_eq!(folder.run(&["pcal", "-help"]).status, 0);
    assert_eq!(folder.run(&["pcal", "Absent"]).status, 150);
    let ran = folder.run(&["pcal", "--stdout", "M"]);
    assert!(ran.out.contains("BEGIN TRANSLATION"));
    assert!(!folder.path().join("M.old").exists());
}

#[test]
fn a_check_warns_of_a_translation_that_is_stale() {
    let folder = Folder::new(&[("M.tla", ALGORITHM)]);
    assert_eq!(folder.run(&["pcal", "M"]).status, 0);
    let fresh = folder.run(&["check", "M.tla", "--no-deadlock"]);
    assert_eq!(fresh.status, 0, "{}", fresh.text());
    assert!(!fresh.text().contains("4803"), "{}", fresh.text());
    let path = folder.path().join("M.tla");
    let text = std::fs::read_to_string(&path).expect("the translation");
    // The algorithm was changed, the translation was not.
    std::fs::write(&path, text.replace("a: x := x + 1", "a: x := x + 2")).expect("a module");
    for words in [&["check", "M.tla", "--no-deadlock"][..], &["tlc", "M"][..]] {
        let ran = folder.run(words);
        assert_eq!(ran.status, 0, "{}", ran.text());
        let text = ran.text().to_lowercase();
        assert!(text.contains("translation") && text.contains("algorithm"), "{}", ran.text());
    }
}

/// The translator's cases of TLC's own tests: wrong algorithms are refused where they are wrong.
#[test]
#[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
fn errors_stand_where_the_translator_sees_them() {
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("LOCKSTEP_CORPUS").map_or(beside, Into::into);
    let cases = root.join("tlc-tests/pcal-trans");
    let Ok(table) = std::fs::read_to_string(cases.join("pcal-trans.tsv")) else {
        eprintln!("skipped: no corpus (set LOCKSTEP_CORPUS)");
        return;
    };
    let mut compared = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [file, "pcal.trans", options, expected, message, ..] = cells[..] else { continue };
        let text = std::fs::read_to_string(cases.join(file)).expect("a case");
        let folder = Folder::new(&[(file, &text)]);
        let mut words = vec!["pcal"];
        words.extend(options.split_whitespace());
        words.push(file);
        let ran = folder.run(&words);
        if expected == "ok" {
            assert_eq!(ran.status, 0, "{file}: {}", ran.text());
            continue;
        }
        assert_eq!(ran.status, 150, "{file}: {}", ran.text());
        let at = message.split("line ").nth(1).expect("a place");
        let numbers: Vec<&str> =
            at.split(|it: char| !it.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
        let place = format!("{file}:{}:{}", numbers[0], numbers[1]);
        assert!(ran.err.contains(&place), "{file}: {place} is not in {}", ran.err);
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} errors were compared");
}
