//! What names mean: a compact print of resolved bodies.

use expect_test::{Expect, expect};
use lockstep_semantic::hir::{
    Argument, DefinitionRef, ExprId, ExprKind, Meaning, Operator, OperatorArgument, Spec,
};

use super::{analyse_text, analyse_valid, codes};

fn show_ref(spec: &Spec, it: &DefinitionRef) -> String {
    let mut result = String::new();
    for step in &it.path {
        let instance = spec.instance(step.instance);
        result.push_str(instance.name.as_deref().unwrap_or("_"));
        if !step.args.is_empty() {
            let args: Vec<String> = step.args.iter().map(|arg| show_arg(spec, arg)).collect();
            result.push_str(&format!("({})", args.join(", ")));
        }
        result.push('!');
    }
    let definition = spec.definition(it.definition);
    let module = &spec.module(definition.module).name;
    result + &format!("{module}.{}", definition.name)
}

fn show_op(spec: &Spec, op: &Operator) -> String {
    match op {
        Operator::Builtin(it) => format!("{it:?}"),
        Operator::Decl(id) => {
            let decl = spec.decl(*id);
            format!("{}.{}", spec.module(decl.module).name, decl.name)
        }
        Operator::Definition(it) => show_ref(spec, it),
        Operator::Local(id) => show_local(spec, *id),
    }
}

fn show_local(spec: &Spec, id: lockstep_semantic::hir::LocalId) -> String {
    spec.local(id).name.to_string()
}

fn show_arg(spec: &Spec, arg: &Argument) -> String {
    match arg {
        Argument::Expr(id) => show(spec, *id),
        Argument::Operator(OperatorArgument::Named(op)) => format!("op {}", show_op(spec, op)),
        Argument::Operator(OperatorArgument::Lambda { params, body, .. }) => {
            let params: Vec<String> = params.iter().map(|it| show_local(spec, *it)).collect();
            format!("lambda {} : {}", params.join(", "), show(spec, *body))
        }
    }
}

fn list(spec: &Spec, items: &[ExprId]) -> String {
    items.iter().map(|item| show(spec, *item)).collect::<Vec<_>>().join(", ")
}

/// An expression; what a test does not need is shown by its text.
fn show(spec: &Spec, id: ExprId) -> String {
    let expr = spec.expr(id);
    match &expr.kind {
        ExprKind::Local(local) => show_local(spec, *local),
        ExprKind::Integer(Some(value)) => value.to_string(),
        ExprKind::String(text) => format!("{text:?}"),
        ExprKind::Apply { op, args } if args.is_empty() => show_op(spec, op),
        ExprKind::Apply { op, args } => {
            let args: Vec<String> = args.iter().map(|arg| show_arg(spec, arg)).collect();
            format!("{}({})", show_op(spec, op), args.join(", "))
        }
        ExprKind::And(items) => format!("And({})", list(spec, items)),
        ExprKind::Or(items) => format!("Or({})", list(spec, items)),
        ExprKind::Tuple(items) => format!("<<{}>>", list(spec, items)),
        ExprKind::Let { definitions, body } => {
            let names: Vec<&str> =
                definitions.iter().map(|it| spec.definition(*it).name.as_str()).collect();
            format!("let {} in {}", names.join(", "), show(spec, *body))
        }
        ExprKind::FunctionApply { function, args } => {
            format!("{}[{}]", show(spec, *function), list(spec, args))
        }
        ExprKind::Label { name, body } => format!("{name} :: {}", show(spec, *body)),
        _ => format!("`{}`", spec.sources.text(expr.span)),
    }
}

/// The body of the last definition of that name.
fn body(body: &str, name: &str, expected: &Expect) {
    let analysis = analyse_valid(body);
    let spec = &analysis.spec;
    let found = spec.definitions.iter().rev().find(|it| it.name == name).expect("it is defined");
    expected.assert_eq(&show(spec, found.body));
}

#[test]
fn declarations_definitions_and_parameters() {
    let text = "CONSTANT c\nVARIABLE v\nB == c\nF(a, G(_)) == <<a, G(c), B, v>>";
    body(text, "F", &expect!["<<a, G(Test.c), Test.B, Test.v>>"]);
}

#[test]
fn extends_needs_no_path() {
    let text = "EXTENDS Integers\nF(a) == -a + Int";
    body(text, "F", &expect!["Naturals.+(Integers.-.(a), Integers.Int)"]);
}

#[test]
fn instances_are_steps_of_a_path() {
    let text = "---- MODULE Low ----
CONSTANT c
L(x) == <<c, x>>
====
---- MODULE Mid ----
CONSTANT d
K(e) == INSTANCE Low WITH c <- <<d, e>>
M(f) == K(f)!L(d)
====
INSTANCE Mid WITH d <- 1
N(p) == INSTANCE Mid WITH d <- p
A == <<M(5), N(2)!M(6), N(3)!K(4)!L(7), K(8)!L(9)>>";
    body(text, "A", &expect!["<<_!Mid.M(5), N(2)!Mid.M(6), N(3)!K(4)!Low.L(7), _!K(8)!Low.L(9)>>"]);
}

#[test]
fn what_mentions_no_declaration_is_the_same_through_every_instance() {
    let text = "EXTENDS Naturals
---- MODULE Inner ----
EXTENDS Naturals
CONSTANT c
F == c + 1
====
INSTANCE Inner WITH c <- 2
I == INSTANCE Inner WITH c <- 3
A == <<1 + 2, I!+(1, 2), I!Nat>>";
    body(text, "A", &expect!["<<Naturals.+(1, 2), Naturals.+(1, 2), Naturals.Nat>>"]);
}

#[test]
fn substitutions_explicit_and_implicit() {
    let analysis = analyse_valid(
        "---- MODULE Inner ----
CONSTANTS c, G(_), _+_
VARIABLE v
====
VARIABLE v
H(a) == a
x + y == x
I == INSTANCE Inner WITH G <- H, c <- 1",
    );
    let spec = &analysis.spec;
    let shown: Vec<String> = spec.instances[0]
        .substitutions
        .iter()
        .map(|(decl, arg)| format!("{} <- {}", spec.decl(*decl).name, show_arg(spec, arg)))
        .collect();
    expect!["c <- 1; G <- op Test.H; + <- op Test.+; v <- Test.v"].assert_eq(&shown.join("; "));
}

#[test]
fn operators_as_arguments() {
    let text = "Ap(G(_, _), a) == G(a, a)
---- MODULE Inner ----
CONSTANT c
P(x) == <<c, x>>
====
I(c) == INSTANCE Inner
A == <<Ap(=, 1), Ap(/\\, TRUE), Ap(LAMBDA p, q : <<q, p>>, 2), Ap(I!P, 3)>>";
    body(
        text,
        "A",
        &expect![
            "<<Test.Ap(op Equal, 1), Test.Ap(lambda a, b : And(a, b), True), Test.Ap(lambda p, q : <<q, p>>, 2), Test.Ap(lambda c, a : I(c)!Inner.P(a), 3)>>"
        ],
    );
}

#[test]
fn let_definitions_are_named_in_order() {
    let text = "F(a) == LET x == a y(b) == <<x, b>> IN y(x)";
    body(text, "F", &expect!["let x, y in Test.y(Test.x)"]);
    let analysis = analyse_valid(text);
    let inner = analysis.spec.definitions.iter().find(|it| it.name == "y").expect("defined");
    let outer = analysis.spec.definition(inner.enclosing.expect("it stands in F"));
    assert_eq!(outer.name, "F");
}

#[test]
fn recursion_is_known() {
    let analysis = analyse_valid(
        "RECURSIVE F(_)
F(a) == F(a)
f[i \\in {1}] == f[i]
g[i \\in {1}] == f[i]
A == LET h[i \\in {1}] == h[i] IN h",
    );
    let of = |name: &str| {
        analysis.spec.definitions.iter().find(|it| it.name == name).expect("defined").recursive
    };
    assert_eq!([of("F"), of("f"), of("g"), of("A"), of("h")], [true, true, false, false, true]);
}

/// The body of the definition that a subexpression name makes.
fn part(text: &str, name: &str, expected: &Expect) {
    let analysis = analyse_valid(&format!("{text}\nZ == {name}"));
    let spec = &analysis.spec;
    let last = spec.definitions.iter().rev().find(|it| it.name == "Z").expect("it is defined");
    let ExprKind::Apply { op: Operator::Definition(it), args } = &spec.expr(last.body).kind else {
        panic!("{name} must be a definition")
    };
    let found = spec.definition(it.definition);
    let params: Vec<&str> =
        found.params.iter().map(|local| spec.local(*local).name.as_str()).collect();
    let args: Vec<String> = args.iter().map(|arg| show_arg(spec, arg)).collect();
    let shown =
        format!("({}) == {} with ({})", params.join(", "), show(spec, found.body), args.join(", "));
    expected.assert_eq(&shown);
}

#[test]
fn subexpression_names() {
    let text = "EXTENDS Naturals
A(x) == x + (2 + x)
B == \\A y \\in {1, 2}, <<z, w>> \\in {3} : y = <<z, w>>
C == CASE 1 = 2 -> 10 [] OTHER -> 30
G == LET u == 5 IN <<u, 6>>
K(p) == /\\ 1 = 1
        /\\ \\A t \\in {1, 2} : lab(t) :: t = inner :: p
THEOREM T == 5 = 6";
    part(text, "A(5)!1", &expect!["(x) == x with (5)"]);
    part(text, "A(5)!2!>>", &expect!["(x) == x with (5)"]);
    part(text, "A(5)!:", &expect!["(x) == Naturals.+(x, Naturals.+(2, x)) with (5)"]);
    part(text, "B!1", &expect!["() == `{1, 2}` with ()"]);
    part(text, "B!(7, 8, 9)!2", &expect!["(y, z, w) == <<z, w>> with (7, 8, 9)"]);
    part(text, "C!1!2", &expect!["() == 10 with ()"]);
    part(text, "C!2!2", &expect!["() == 30 with ()"]);
    part(text, "G!1!1", &expect!["() == let u in Test.u with ()"]);
    part(text, "K(1)!2!(3)", &expect!["(p, t) == lab :: Equal(t, inner :: p) with (1, 3)"]);
    part(text, "K(1)!lab(3)", &expect!["(p, t) == Equal(t, inner :: p) with (1, 3)"]);
    part(text, "K(1)!lab(3)!inner", &expect!["(p, t) == p with (1, 3)"]);
    part(text, "T!:", &expect!["() == Equal(5, 6) with ()"]);
}

#[test]
fn the_scope_of_a_module_holds_imports() {
    let analysis = analyse_valid(
        "EXTENDS Naturals
---- MODULE Inner ----
CONSTANT c
F == c
LOCAL H == c
====
INSTANCE Inner WITH c <- 1
N == INSTANCE Inner WITH c <- 2
LOCAL own == 3
VARIABLE v",
    );
    let spec = &analysis.spec;
    let root = spec.root.expect("there is a root");
    let path_length = |name: &str| match spec.lookup(root, name) {
        Some(Meaning::Definition(it)) => Some(it.path.len()),
        _ => None,
    };
    assert_eq!(path_length("Nat"), Some(0));
    assert_eq!(path_length("F"), Some(1));
    assert_eq!(path_length("own"), Some(0));
    assert_eq!(path_length("H"), None);
    assert!(matches!(spec.lookup(root, "N"), Some(Meaning::Instance { .. })));
    assert!(matches!(spec.lookup(root, "v"), Some(Meaning::Decl(_))));
    assert!(matches!(spec.lookup(root, "Inner"), Some(Meaning::Module(_))));
    assert_eq!(spec.lookup(root, "c"), None);
}

#[test]
fn modules_come_after_those_they_need() {
    let analysis = analyse_valid("EXTENDS Integers\n---- MODULE Inner ----\n====\nINSTANCE Inner");
    let names: Vec<&str> = analysis.spec.modules.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Naturals", "Integers", "Inner", "Test"]);
    assert_eq!(analysis.spec.root.map(|it| it.index()), Some(3));
}

#[test]
fn assumptions_of_extended_modules_come_first() {
    let analysis = analyse_text(
        "---- MODULE Test ----
EXTENDS Other
ASSUME Own == TRUE
AXIOM TRUE
I == INSTANCE Third
====
---- MODULE Other ----
ASSUMPTION Theirs == TRUE
====
---- MODULE Third ----
ASSUME Not == TRUE
====
",
    );
    assert!(analysis.diagnostics.is_empty());
    let names: Vec<_> = analysis.spec.assumptions.iter().map(|it| it.name.as_deref()).collect();
    assert_eq!(names, [Some("Theirs"), Some("Own")]);
}

#[test]
fn names_of_proofs_end_with_them() {
    let proof = "THEOREM T == ASSUME NEW a PROVE a = a
<1>1. SUFFICES ASSUME NEW b PROVE TRUE
  <2>1. \\A b : TRUE
  <2>2. QED BY <2>1
<1>2. b = a
  <2>1. DEFINE d == b
  <2>2. PICK e \\in {1} : e = d
    <3>1. \\E e \\in {1} : e = d
    <3>2. QED BY <3>1 DEF d
  <2>3. QED BY e = d, <1>1
<1>3. @ = 1
<1>4. TAKE f \\in {1}
<1>5. f = f
<1>. QED BY <1>5, T DEF T
a == 1
b == 2
d == 3
e == 4
f == 5";
    assert_eq!(codes(proof), Vec::<&str>::new());
    assert_eq!(
        codes("THEOREM TRUE\n<1>1. TRUE\n  <2>1. TRUE\n  <2>2. QED\n<1>2. QED BY <2>1"),
        ["E4200"]
    );
}

#[test]
fn a_missing_import_hides_what_follows_from_it() {
    assert_eq!(codes("EXTENDS Missing\nA == NotThere\nB == AlsoNot(1)"), ["E4220"]);
    assert_eq!(codes("I == INSTANCE Missing\nA == I!F"), ["E4220"]);
}

#[test]
fn steps_are_facts_or_formulas_or_neither() {
    let proof = |step: &str, using: &str| {
        codes(&format!("VARIABLE x\nTHEOREM []x\n<1>1. {step}\n<1>2. {using}\n<1>3. QED"))
    };
    assert_eq!(proof("CASE TRUE", "TRUE BY <1>1"), Vec::<&str>::new());
    assert_eq!(proof("CASE 1 = 2", "<1>1!1"), Vec::<&str>::new());
    assert_eq!(proof("PICK y \\in {1} : y = 1", "<1>1!1 = {1}"), Vec::<&str>::new());
    assert_eq!(proof("PICK y \\in {1} : y = 1", "<1>1"), ["E4351"]);
    assert_eq!(proof("SUFFICES TRUE", "<1>1"), ["E4351"]);
    assert_eq!(proof("ASSUME NEW y PROVE TRUE", "<1>1"), ["E4355"]);
    assert_eq!(proof("DEFINE d == 1", "TRUE BY <1>1"), ["E4357"]);
    assert_eq!(proof("DEFINE d == 1", "d = 1"), Vec::<&str>::new());
    // SUFFICES does not change the goal that a CASE must fit, a step's own proof does.
    assert_eq!(proof("SUFFICES TRUE", "CASE x"), ["E4353"]);
    assert_eq!(proof("x\n  <2>1. CASE x\n  <2>2. QED", "TRUE"), Vec::<&str>::new());
    assert_eq!(proof("TRUE\n<1>1. TRUE", "TRUE"), ["W4801"]);
}

#[test]
fn parts_of_a_let_inside_a_part() {
    let text = "A(p) == <<LET u == p v(q) == <<lab :: <<u, q>>, 1>> IN v(2), 3>>";
    part(text, "A(7)!1!u", &expect!["(p) == let u, v in p with (7)"]);
    part(text, "A(7)!1!v(8)!lab!2", &expect!["(p, q) == let u, v in q with (7, 8)"]);
    let with = |name: &str| codes(&format!("{text}\nZ == {name}"));
    assert_eq!(with("A(7)!u"), ["E4200"]);
    assert_eq!(with("A(7)!:!1"), ["E4200"]);
    assert_eq!(with("A(7)!1!:"), ["E4200"]);
    assert_eq!(with("A(7)!>>"), Vec::<&str>::new());
}
