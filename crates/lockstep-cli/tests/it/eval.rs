//! `lockstep eval`.

use expect_test::expect;

use crate::run::Folder;

const CONTEXT: &str = "---- MODULE C ----\nEXTENDS Integers, TLC\nCONSTANTS a, N\nVARIABLE v\nDouble(x) == x * 2\n====\n";

#[test]
fn values_are_printed_as_tlc_prints_them() {
    let folder = Folder::new(&[]);
    let value = |text: &str| folder.run(&["eval", text]).out;
    assert_eq!(value("1 + 1"), "2\n");
    assert_eq!(value("-1"), "-1\n");
    assert_eq!(value("{3, 1, 2}"), "{1, 2, 3}\n");
    assert_eq!(value("[i \\in 2..3 |-> i]"), "(2 :> 2 @@ 3 :> 3)\n");
    assert_eq!(value("Nat"), "Nat\n");
    assert_eq!(value("/\\ TRUE\n/\\ \\/ FALSE\n   \\/ TRUE"), "TRUE\n");
}

#[test]
fn what_it_prints_goes_to_standard_error() {
    let ran = Folder::new(&[]).run(&["eval", "Print(\"said\", 7)"]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("7\n", "\"said\"  7\n"));
}

#[test]
fn a_context_gives_definitions_and_constants() {
    let folder = Folder::new(&[("C.tla", CONTEXT), ("C.cfg", "CONSTANTS a = a N = 4\nINIT Nope")]);
    let ran = folder.run(&["eval", "--context", "C.tla", "<<a, Double(N)>>"]);
    assert_eq!(ran.text(), "exit 0\n--- out\n<<a, 8>>\n");
}

#[test]
fn failures_have_a_place_and_a_status() {
    let folder = Folder::new(&[]);
    expect![[r#"
        exit 150
        --- err
        error[E1010]: expected an expression, found the end of the file
         --> <expression>:1:5
          |
        1 | 1 + 
          |     ^ expected an expression
          |
          = help: end the module with a line `====`
    "#]]
    .assert_eq(&folder.run(&["eval", "1 + "]).text());
    expect![[r#"
        exit 150
        --- err
        error[E4200]: unknown operator `x`
         --> <expression>:4:3
          |
        4 |   x + 1
          |   ^ nothing visible here has this name
          |
          = note: there is such a definition elsewhere, but it is not visible at this place
    "#]]
    .assert_eq(&folder.run(&["eval", "x + 1"]).text());
    expect![[r#"
        exit 75
        --- err
        error[75]: The second argument of + should be an integer, but instead it is:
                   "a"
         --> <expression>:4:3
          |
        4 |   1 + "a"
          |   ^^^^^^^
    "#]]
    .assert_eq(&folder.run(&["eval", "1 + \"a\""]).text());
    expect![[r#"
        exit 150
        --- err
        error[E1010]: expected an operator or the end of the expression, found `====`
         --> <expression>:2:1
          |
        2 | ==== 
          | ^^^^ expected an operator or the end of the expression
          |
          = note: a run of four or more of these characters always ends what is open
    "#]]
    .assert_eq(&folder.run(&["eval", "1 \n==== "]).text());
    expect![[r#"
        exit 150
        --- err
        error[E0100]: Absent.tla does not exist
    "#]]
    .assert_eq(&folder.run(&["eval", "--context", "Absent.tla", "1"]).text());
}
