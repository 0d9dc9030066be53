//! What expressions become: every kind of node, hoisted constants, and the parts of Next.

use std::sync::Arc;

use lockstep_eval::Options;
use lockstep_eval::ir::{Act, Arg, Node, NodeId, Program};

use crate::spec::{program, valid};

/// Names that the expressions below use.
const BEFORE: &str = "CONSTANT c
VARIABLES x, y
RECURSIVE Rec(_)
Rec(n) == IF n = 0 THEN x ELSE Rec(n - 1)
Id(a) == a
Pair(a) == <<a, a>>
Heavy == {e \\in {x} : e > 0}
Using(F(_)) == F(x)
RECURSIVE Call(_, _)
Call(F(_), n) == IF n = 0 THEN F(x) ELSE Call(F, n - 1)";

/// The program of one expression, and its node.
fn lowered(expression: &str) -> (Program, NodeId) {
    let options = Options { expressions_only: true, ..Options::default() };
    let body = format!("{BEFORE}\n_Value == {expression}");
    let program =
        program(&body, "CONSTANT c = c", &options).unwrap_or_else(|it| panic!("{body}\n{it}"));
    let mut node = program.alias.as_ref().expect("an expression").entry.node;
    // What takes long to evaluate is kept per state, this definition too.
    if let Node::StateDef { function, .. } = program.node(node)
        && program.functions[function.index()].name == "_Value"
    {
        node = program.functions[function.index()].body;
    }
    (program, node)
}

/// The name of a node's kind.
fn kind(node: &Node) -> String {
    let text = format!("{node:?}");
    text.split(|it: char| !it.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Checks a table of expressions and kinds.
fn check(cases: &str) {
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (expression, expected) = line.rsplit_once(" => ").expect("a kind");
        let (program, node) = lowered(expression);
        assert_eq!(kind(program.node(node)), expected.trim(), "{expression}");
    }
}

#[test]
fn leaves() {
    check(
        r#"
        5 => Int
        TRUE => Bool
        "text" => Str
        c => Model
        BOOLEAN => Booleans
        STRING => Strings
        x => Cur
        x' => Next
        Id(x) => Cur
        Id(x)' => Next
        "#,
    );
}

#[test]
fn connectives() {
    check(
        r"
        x = 1 /\ y = 1 => And
        x = 1 \/ y = 1 => Or
        (x = 1 => y = 1) => Implies
        (x = 1 <=> y = 1) => Equivalent
        ~(x = 1) => Not
        IF x = 1 THEN 2 ELSE 3 => If
        CASE x = 1 -> 2 [] OTHER -> 3 => Case
        x = 1 => Equal
        x # 1 => NotEqual
        x \in {1} => In
        x \notin {1} => NotIn
        \A e \in {x} : e = 1 => Quantified
        \E e \in {x} : e = 1 => Quantified
        UNCHANGED x => Equal
        UNCHANGED <<x, y>> => And
        ENABLED (x' = 1) => Enabled
        ",
    );
}

#[test]
fn sets() {
    check(
        r"
        {x, 1} => SetEnum
        {x} \cup {1} => Cup
        {x} \cap {1} => Cap
        {x} \ {1} => Minus
        {x} \subseteq {1} => SubsetEq
        SUBSET {x} => Subset
        UNION {{x}} => BigUnion
        {x} \X {1} => Product
        [{x} -> {1}] => FunctionSet
        [a : {x}] => RecordSet
        {e \in {x} : e = 1} => Filter
        {e + 1 : e \in {x}} => Map
        CHOOSE e \in {x} : TRUE => Choose
        x..3 => Arithmetic
        ",
    );
}

#[test]
fn functions_and_calls() {
    check(
        r"
        <<x, 1>> => Tuple
        [a |-> x] => Record
        [e \in {x} |-> e] => Function
        x[1] => Apply
        x.a => Field
        [x EXCEPT ![1] = 2] => Except
        DOMAIN x => Domain
        x + 1 => Arithmetic
        x - 1 => Arithmetic
        x < 1 => Arithmetic
        x \div 2 => Native
        Len(x) => Native
        SelectSeq(x, LAMBDA e : e = 1) => NativeSpecial
        Rec(x) => Call
        Heavy => StateDef
        Heavy' => NextDef
        Using(LAMBDA e : e + 1) => Arithmetic
        LET d == x + 1 IN d * d => Scope
        LET d == x + 1 IN d * 2 => Arithmetic
        Pair(x + 1) => Scope
        \E e : e = x => Fail
        CHOOSE e : e = x => Fail
        ",
    );
}

/// All nodes below one, itself included.
fn below(program: &Program, root: NodeId) -> Vec<NodeId> {
    let (mut todo, mut seen) = (vec![root], Vec::new());
    while let Some(id) = todo.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        lockstep_eval::ir::parts(program.node(id), &mut |part| {
            if let lockstep_eval::ir::Part::Node(node) = part {
                todo.push(node);
            }
        });
    }
    seen
}

fn count(expression: &str, wanted: &str) -> usize {
    let (program, root) = lowered(expression);
    below(&program, root).iter().filter(|it| kind(program.node(**it)) == wanted).count()
}

#[test]
fn what_needs_no_state_is_hoisted() {
    for (expression, n) in [
        ("x \\in SUBSET (1..3)", 1),
        ("\\A e \\in {x} : e \\in {1, 2, 3}", 1),
        ("x = 1 + 2", 1),
        ("{e + Cardinality({1, 2}) : e \\in {x}}", 1),
        // What depends on a bound name stays.
        ("\\A e \\in {x} : e \\in {e, 1}", 0),
        ("x + 1", 0),
    ] {
        assert_eq!(count(expression, "Const"), n, "{expression}");
    }
}

#[test]
fn an_argument_that_is_used_once_is_written_in_its_place() {
    assert_eq!(count("Id(x + 1) * 2", "Lazy"), 0);
    assert_eq!(count("Pair(x + 1)", "Lazy"), 2);
    // In a loop one use is many.
    assert_eq!(count("LET d == Cardinality({x}) IN {e + d : e \\in {x}}", "Lazy"), 1);
}

#[test]
fn operators_reach_a_call_as_arguments() {
    let (program, root) = lowered("Call(LAMBDA e : e + 1, 3)");
    let Node::Call { args, function } = program.node(root) else { panic!("no call") };
    assert!(matches!(args[0], Arg::Operator { n_params: 1, .. }));
    assert!(matches!(args[1], Arg::Eager(_)));
    assert_eq!(program.functions[function.index()].name, "Call");
    let body = program.functions[function.index()].body;
    let kinds: Vec<String> =
        below(&program, body).iter().map(|it| kind(program.node(*it))).collect();
    assert!(kinds.contains(&"CallOperator".to_owned()), "{kinds:?}");
}

fn actions(next: &str) -> Arc<Program> {
    valid(
        &format!(
            "CONSTANT P\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nA(p) == x' = p /\\ UNCHANGED y\nB == x' = 1 /\\ y' = x'\nNext == {next}"
        ),
        "CONSTANT P = {p1, p2}\nINIT Init\nNEXT Next\n",
    )
}

#[test]
fn next_is_split_into_parts() {
    for (next, expected) in [
        ("B", "B"),
        ("B \\/ A(1)", "B A(1)"),
        ("\\E p \\in P : A(p)", "A(p1) A(p2)"),
        ("B \\/ \\E p \\in P : A(p) \\/ A(3)", "B A(p1) A(3) A(p2) A(3)"),
        ("\\E p \\in {} : A(p)", "Next"),
        // A bound that depends on the state stays a quantifier.
        ("\\E p \\in {x} : A(p)", "Next"),
        ("x = 0 /\\ (B \\/ A(1))", "Next"),
        ("LET q == 5 IN A(q) \\/ B", "A(5) B"),
    ] {
        let program = actions(next);
        let mut evaluator = lockstep_eval::Evaluator::new(program.clone());
        let mut names = Vec::new();
        for action in &program.actions {
            let mut args = Vec::new();
            for (_, frozen) in &action.params {
                let value = evaluator.thaw(frozen).expect("a value");
                args.push(evaluator.text(&value));
            }
            names.push(match args.as_slice() {
                [] => action.name.to_string(),
                _ => format!("{}({})", action.name, args.join(", ")),
            });
        }
        assert_eq!(names.join(" "), expected, "{next}");
    }
}

#[test]
fn parts_know_what_they_read_and_write() {
    let program = actions("A(1) \\/ B \\/ (y' = x + 1 /\\ UNCHANGED x)");
    let footprints: Vec<(&[u16], &[u16])> =
        program.actions.iter().map(|it| (&it.reads[..], &it.writes[..])).collect();
    assert_eq!(
        footprints,
        [(&[1][..], &[0, 1][..]), (&[][..], &[0, 1][..]), (&[0][..], &[0, 1][..])]
    );
}

#[test]
fn assignments_are_told_from_tests() {
    let program = actions("x' = 1 /\\ x' > 0 /\\ y' \\in {2} /\\ y' = x'");
    let mut kinds = Vec::new();
    let mut todo = vec![program.actions[0].body];
    while let Some(act) = todo.pop() {
        match program.act(act) {
            Act::And(items) => todo.extend(items.iter().rev()),
            Act::Assign(..) => kinds.push("assign"),
            Act::AssignIn(..) => kinds.push("in"),
            Act::Test(_) => kinds.push("test"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(kinds, ["assign", "test", "in", "assign"]);
}
