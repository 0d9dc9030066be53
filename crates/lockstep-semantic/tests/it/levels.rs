//! Levels of definitions, with instances and operator arguments.

use lockstep_semantic::hir::Level;

use super::{analyse_valid, codes};

/// The level of the last definition of that name.
fn level(body: &str, name: &str) -> Level {
    let analysis = analyse_valid(body);
    let found = analysis.spec.definitions.iter().rev().find(|it| it.name == name);
    found.expect("it is defined").level
}

#[test]
fn operators_of_the_language() {
    let of = |expression: &str| level(&format!("CONSTANT c\nVARIABLE x\nA == {expression}"), "A");
    assert_eq!(of("c = 1"), Level::Constant);
    assert_eq!(of("x = 1"), Level::State);
    assert_eq!(of("\\E i \\in {1} : i = x"), Level::State);
    assert_eq!(of("x' = 1"), Level::Action);
    assert_eq!(of("UNCHANGED x"), Level::Action);
    assert_eq!(of("ENABLED (x' = 1)"), Level::State);
    assert_eq!(of("[x = 1]_x"), Level::Action);
    assert_eq!(of("[][x = 1]_x"), Level::Temporal);
    assert_eq!(of("WF_x(x' = 1)"), Level::Temporal);
    assert_eq!(of("x ~> c"), Level::Temporal);
    assert_eq!(of("[i \\in x |-> i']"), Level::Action);
    assert_eq!(of("IF c THEN x ELSE []x"), Level::Temporal);
}

#[test]
fn arguments_raise_an_application() {
    assert_eq!(level("VARIABLE x\nF(a) == a\nA == F(x)", "A"), Level::State);
    assert_eq!(level("VARIABLE x\nF(a) == 1\nA == F(x)", "A"), Level::Constant);
    assert_eq!(level("VARIABLE x\nF(a) == a\nA == F(1)", "A"), Level::Constant);
    assert_eq!(level("VARIABLE x\nF(G(_)) == G(x)\nA == F(')", "A"), Level::Action);
    assert_eq!(level("VARIABLE x\nF(G(_)) == G(1)\nA == F(LAMBDA a : a = x)", "A"), Level::State);
}

#[test]
fn a_constant_module_takes_any_level() {
    let inner = "VARIABLE x\n---- MODULE Inner ----\nCONSTANT c\nF == c\n====\n";
    let of =
        |put: &str| level(&format!("{inner}I == INSTANCE Inner WITH c <- {put}\nA == I!F"), "A");
    assert_eq!(of("1"), Level::Constant);
    assert_eq!(of("x"), Level::State);
    assert_eq!(of("x'"), Level::Action);
    assert_eq!(of("[]x"), Level::Temporal);
}

#[test]
fn levels_pass_through_instances_in_instances() {
    let body = "VARIABLE x
---- MODULE Low ----
CONSTANT c
F(a) == <<a, c>>
====
---- MODULE Mid ----
CONSTANT d
L(e) == INSTANCE Low WITH c <- <<d, e>>
G == L(1)!F(2)
====
M == INSTANCE Mid WITH d <- x
A == M!G
B == M!L(x')!F(1)";
    assert_eq!(level(body, "A"), Level::State);
    assert_eq!(level(body, "B"), Level::Action);
}

#[test]
fn recursive_operators_have_the_level_of_their_bodies() {
    let body = "VARIABLE x
RECURSIVE F(_), G(_)
F(a) == IF a = 0 THEN x ELSE G(a)
G(a) == F(a)
A == G(1)";
    assert_eq!(level(body, "A"), Level::State);
    assert_eq!(level("VARIABLE x\nf[i \\in {1}] == f[i] = x\nA == f", "A"), Level::State);
}

#[test]
fn constraints_pass_through_definitions() {
    let body = "VARIABLE x\nF(a) == a'\nG(b) == F(b)\nH(G2(_), c) == G2(c)\n";
    assert_eq!(codes(&format!("{body}A == G(x)")), Vec::<&str>::new());
    assert_eq!(codes(&format!("{body}A == G(x')")), ["E4205"]);
    assert_eq!(codes(&format!("{body}A == H(G, x)")), Vec::<&str>::new());
    assert_eq!(codes(&format!("{body}A == H(G, x')")), ["E4273"]);
    assert_eq!(codes(&format!("{body}A == H(LAMBDA d : G(d), x')")), ["E4273"]);
    assert_eq!(codes(&format!("{body}A == LET L(d) == G(d) IN L(x')")), ["E4205"]);
}

#[test]
fn a_let_inside_an_operator_constrains_its_parameters() {
    let body = "VARIABLE x\nF(a) == LET d == a' IN d\n";
    assert_eq!(codes(&format!("{body}A == F(x)")), Vec::<&str>::new());
    assert_eq!(codes(&format!("{body}A == F(x')")), ["E4205"]);
}
