//! Mistakes in access that must not compile, with the message they give.
#![allow(missing_docs, reason = "tests")]

#[test]
fn b34_mistakes_in_access_do_not_compile() {
    let t = trybuild::TestCases::new();
    // With a program that must build, the others are built, too, not only checked: aliasing is found when types are filled in.
    t.pass("tests/compile_ok/disjoint.rs");
    t.compile_fail("tests/compile/*.rs");
}
