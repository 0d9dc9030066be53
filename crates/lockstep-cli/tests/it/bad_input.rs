//! What users do wrong: a clear diagnostic and the documented status, never a panic.

use std::fs;

use expect_test::expect;

use crate::run::{Folder, Ran};

const GOOD: &str = "---- MODULE M ----\nEXTENDS Naturals\nCONSTANT N\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1\nOk == x < N\n====\n";
const MODEL: &str = "CONSTANT N = 9\nINIT Init\nNEXT Next\nINVARIANT Ok\nCHECK_DEADLOCK FALSE\n";

fn check(module: &str, model: &str) -> Ran {
    let folder = Folder::new(&[("M.tla", module), ("M.cfg", model)]);
    let ran = folder.run(&["check", "M.tla", "--workers", "1"]);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

#[test]
fn the_good_one_is_good() {
    assert_eq!(check(GOOD, MODEL).status, 0);
}

#[test]
fn a_missing_module() {
    expect![[r#"
        exit 150
        --- out
        error[E4220]: no module `Nowhere` was found
         --> M.tla:2:19
          |
        2 | EXTENDS Naturals, Nowhere
          |                   ^^^^^^^ imported here
          |
          = note: modules are looked for in the folder of the specification, then in the folders of the module path, then among the built-in ones
          = help: put `Nowhere.tla` beside the specification, or name its folder
        M: the specification does not parse
    "#]].assert_eq(&check(&GOOD.replace("Naturals", "Naturals, Nowhere"), MODEL).text());
}

#[test]
fn a_circular_extends() {
    let other = "---- MODULE Other ----\nEXTENDS M\n====\n";
    let folder = Folder::new(&[
        ("M.tla", &GOOD.replace("Naturals", "Naturals, Other")),
        ("Other.tla", other),
        ("M.cfg", MODEL),
    ]);
    expect![[r#"
        exit 150
        --- out
        error[E4222]: modules depend on each other in a circle: M -> Other -> M
         --> Other.tla:2:9
          |
        2 | EXTENDS M
          |         ^ this closes the circle
          |
         ::: M.tla:2:19
          |
        2 | EXTENDS Naturals, Other
          |                   ----- `Other` is imported here
          |
          = help: move what both need into a third module
        M: the specification has errors
    "#]]
    .assert_eq(&folder.run(&["check", "M.tla"]).text());
}

#[test]
fn a_model_that_names_what_is_not_there() {
    expect![[r#"
        exit 151
        --- out
        error[E2229]: INVARIANT Absent is not defined in the specification
         --> M.cfg:4:11
          |
        4 | INVARIANT Absent
          |           ^^^^^^
          |
          = help: define it in M, or let M extend its module
        M: the model does not fit the specification
    "#]]
    .assert_eq(&check(GOOD, &MODEL.replace("Ok", "Absent")).text());
}

#[test]
fn a_constant_without_value() {
    expect![[r#"
        exit 151
        --- out
        error[E2222]: the constant N is not assigned a value
         --> M.tla:3:10
          |
        3 | CONSTANT N
          |          ^
          |
          = help: give it one in the model: CONSTANT N = …
        M: the model does not fit the specification
    "#]]
    .assert_eq(&check(GOOD, &MODEL.replace("CONSTANT N = 9\n", "")).text());
}

#[test]
fn a_guard_that_is_no_boolean() {
    expect![[r#"
        exit 75
        --- out
        M: an expression has no value
        error[no-value]: TLC expected a boolean value, but did not find one.
         --> M.tla:6:10
          |
        6 | Next == (x + 1) /\ x' = x + 1
          |          ^^^^^
          |
          = note: the value is 1
          = help: a formula must be TRUE or FALSE; is a comparison missing?
          in Next, at M.tla:6:9: (x + 1) /\ x' = x + 1

        Behavior of 1 state (* marks what a step changed):

          1  Initial state
               x = 0

        1 state generated, 1 distinct, depth 1 (1 worker, TIME s)
    "#]]
    .assert_eq(&check(&GOOD.replace("x < 3 /\\", "(x + 1) /\\"), MODEL).text());
}

#[test]
fn an_unassigned_variable() {
    let module = GOOD.replace("VARIABLE x", "VARIABLES x, y").replace("x = 0", "x = 0 /\\ y = 0");
    expect![[r#"
        exit 75
        --- out
        M: an expression has no value
        error[no-value]: Successor state is not completely specified by the next-state action. The following variable is not defined: y.
         --> M.tla:6:9
          |
        6 | Next == x < 3 /\ x' = x + 1
          |         ^^^^^^^^^^^^^^^^^^^
          |
          = help: give every variable a value on every way through: v' = …, or UNCHANGED v

        Behavior of 2 states (* marks what a step changed):

          1  Initial state
               x = 0
               y = 0
          2  Next  M.tla:6:9
             * x = 1
             * y = null

        2 states generated, 1 distinct, depth 1 (1 worker, TIME s)
    "#]].assert_eq(&check(&module, MODEL).text());
}

#[test]
fn an_infinite_enumeration() {
    expect![[r#"
        exit 75
        --- out
        M: an expression has no value
        error[E2153]: Attempted to enumerate the elements of the infinite set:
                      Nat
         --> M.tla:6:18
          |
        6 | Next == x < 3 /\ x' \in Nat
          |                  ^^^^^^^^^^
          |
          = help: bound it by a finite set, such as 0..N; the model can put one in the place of an infinite set: CONSTANT Nat <- SmallNat
          in Next, at M.tla:6:9: x < 3 /\ x' \in Nat

        Behavior of 1 state (* marks what a step changed):

          1  Initial state
               x = 0

        1 state generated, 1 distinct, depth 1 (1 worker, TIME s)
    "#]]
    .assert_eq(&check(&GOOD.replace("x' = x + 1", "x' \\in Nat"), MODEL).text());
}

#[test]
fn a_directory_instead_of_a_file() {
    let folder = Folder::new(&[("M.tla", GOOD)]);
    fs::create_dir(folder.path().join("D.tla")).expect("a folder");
    fs::create_dir(folder.path().join("M.cfg")).expect("a folder");
    expect![[r#"
        exit 150
        --- out
        D: 1 error
        --- err
        error[E0101]: D.tla is a directory
    "#]]
    .assert_eq(&folder.run(&["parse", "D.tla"]).text());
    expect![[r#"
        exit 255
        --- out
        error[5001]: M.cfg: is a directory
          help: write the model beside the module, or name it: --config
        M: the model does not fit the specification
    "#]]
    .assert_eq(&folder.run(&["check", "M.tla"]).text());
    expect![[r#"
        exit 255
        --- out
        error[E0101]: . is a directory
        error[5001]: .: is a directory
          help: write the model beside the module, or name it: --config
        .: the model does not fit the specification
    "#]]
    .assert_eq(&folder.run(&["check", "."]).text());
}

#[test]
fn a_file_that_is_not_there() {
    let folder = Folder::new(&[("M.tla", GOOD)]);
    expect![[r#"
        exit 255
        --- out
        error[E0100]: Absent.tla does not exist
        error[5001]: Absent.cfg: File not found.
          help: write the model beside the module, or name it: --config
        Absent: the model does not fit the specification
    "#]]
    .assert_eq(&folder.run(&["check", "Absent.tla"]).text());
    expect![[r#"
        exit 255
        --- out
        error[5001]: M.cfg: File not found.
          help: write the model beside the module, or name it: --config
        M: the model does not fit the specification
    "#]]
    .assert_eq(&folder.run(&["check", "M.tla"]).text());
    expect![[r#"
        exit 255
        --- out
        error[5001]: Other.cfg: File not found.
          help: write the model beside the module, or name it: --config
        M: the model does not fit the specification
    "#]]
    .assert_eq(&folder.run(&["check", "M.tla", "--config", "Other.cfg"]).text());
}

#[test]
fn a_file_that_is_not_utf8() {
    let folder = Folder::new(&[("M.cfg", MODEL)]);
    fs::write(folder.path().join("M.tla"), b"---- MODULE M ----\nA == \"\xff\xfe\"\n====\n")
        .expect("a file");
    expect![[r#"
        exit 150
        --- out
        error[E0101]: M.tla is not UTF-8: byte 25, line 2
        M: the specification does not parse
    "#]]
    .assert_eq(&folder.run(&["check", "M.tla"]).text());
    assert_eq!(folder.run(&["parse", "M.tla"]).status, 150);
}

#[test]
fn a_file_of_a_hundred_megabytes() {
    let folder = Folder::new(&[("M.cfg", MODEL)]);
    let file = fs::File::create(folder.path().join("M.tla")).expect("a file");
    file.set_len(100 << 20).expect("a large file");
    expect![[r#"
        exit 150
        --- out
        error[E0101]: M.tla is too large: 104857600 bytes, at most 33554432 can be used
        M: the specification does not parse
    "#]]
    .assert_eq(&folder.run(&["check", "M.tla"]).text());
}

#[test]
fn a_limit_and_an_empty_model() {
    let ran = check(GOOD, "");
    assert_eq!(ran.status, 151, "{}", ran.text());
    let ran = check("", MODEL);
    assert_eq!(ran.status, 150, "{}", ran.text());
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away() {
    let folder = Folder::new(&[("M.tla", GOOD), ("M.cfg", MODEL)]);
    for words in [&["check", "M.tla"][..], &["tlc", "M"], &["parse", "M.tla"], &["eval", "1..100"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = folder.command(words);
        let output = command.stdout(writer).output().expect("the binary ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(153), "{words:?}: {err}");
        assert!(err.contains("cannot write to standard output"), "{words:?}: {err}");
        assert!(!err.contains("panicked"), "{words:?}: {err}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let folder = Folder::new(&[("M.tla", GOOD), ("M.cfg", MODEL)]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let output =
        folder.command(&["check", "M.tla"]).stdout(full).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(153));
}

#[test]
fn a_report_that_cannot_be_written() {
    let folder = Folder::new(&[("M.tla", GOOD), ("M.cfg", MODEL)]);
    let ran = folder.run(&["check", "M.tla", "--report", "json=no/such/folder/x.json"]);
    assert_eq!(ran.status, 153, "{}", ran.text());
    assert!(ran.err.contains("cannot be written"), "{}", ran.err);
}
