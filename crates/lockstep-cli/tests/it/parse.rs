//! `lockstep parse`.

use expect_test::expect;

use crate::run::Folder;

const GOOD: &str = "---- MODULE Good ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n====\n";

#[test]
fn a_good_module() {
    let folder = Folder::new(&[("Good.tla", GOOD)]);
    expect![[r#"
        exit 0
        --- out
        Good: no errors
    "#]]
    .assert_eq(&folder.run(&["parse", "Good.tla"]).text());
    expect![[r#"
        exit 0
        --- out
        {"schema":"lockstep.parse/1","module":"Good","diagnostics":[]}
    "#]]
    .assert_eq(&folder.run(&["parse", "--format", "json", "Good.tla"]).text());
}

#[test]
fn several_errors_are_told_with_their_places() {
    let text = "---- MODULE Bad ----\nVARIABLE x\nInit == x = q\nNext == x' = z\n====\n";
    let folder = Folder::new(&[("Bad.tla", text)]);
    let ran = folder.run(&["parse", "--format", "json", "Bad.tla"]);
    assert_eq!(ran.status, 150);
    assert!(
        ran.out.contains(r#""span":{"line":3,"col":13,"end_line":3,"end_col":13}"#),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains(r#""span":{"line":4,"col":14,"end_line":4,"end_col":14}"#),
        "{}",
        ran.out
    );
    let ran = folder.run(&["parse", "Bad.tla"]);
    expect![[r#"
        exit 150
        --- out
        Bad: 2 errors
        --- err
        error[E4200]: unknown operator `q`
         --> Bad.tla:3:13
          |
        3 | Init == x = q
          |             ^ nothing visible here has this name

        error[E4200]: unknown operator `z`
         --> Bad.tla:4:14
          |
        4 | Next == x' = z
          |              ^ nothing visible here has this name
    "#]]
    .assert_eq(&ran.text());
}

#[test]
fn syntax_only_resolves_nothing() {
    let text = "---- MODULE Alone ----\nEXTENDS Nowhere\nA == b\n====\n";
    let folder = Folder::new(&[("Alone.tla", text)]);
    assert_eq!(folder.run(&["parse", "--syntax-only", "Alone.tla"]).status, 0);
    assert_eq!(folder.run(&["parse", "Alone.tla"]).status, 150);
}

#[test]
fn modules_are_found_on_the_path_and_by_the_variable() {
    let library = Folder::new(&[("Lib.tla", "---- MODULE Lib ----\nTwo == 2\n====\n")]);
    let folder =
        Folder::new(&[("User.tla", "---- MODULE User ----\nEXTENDS Lib\nA == Two\n====\n")]);
    let path = library.path().display().to_string();
    assert_eq!(folder.run(&["parse", "User.tla"]).status, 150);
    assert_eq!(folder.run(&["parse", "--path", &path, "User.tla"]).status, 0);
    let status = folder
        .command(&["parse", "User.tla"])
        .env("TLA_PATH", format!("/does/not/exist:{path}"))
        .output()
        .expect("the binary runs")
        .status;
    assert_eq!(status.code(), Some(0));
}

#[test]
fn mistakes_in_the_command_line() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.run(&["parse"]).status, 1);
    assert_eq!(folder.run(&["frobnicate"]).status, 1);
    assert_eq!(folder.run(&["parse", "--format", "yaml", "x.tla"]).status, 1);
    assert_eq!(folder.run(&["--help"]).status, 0);
    assert_eq!(folder.run(&["--version"]).out, "lockstep VERSION\n");
}
