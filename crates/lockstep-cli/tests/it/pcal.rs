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
