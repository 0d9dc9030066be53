//! Wrong algorithms: what is said, and where.

use expect_test::expect;

use super::check_errors;

#[test]
fn an_unknown_word_after_fair() {
    check_errors(
        r##"--fair+ algorithm A { { a: skip } }"##,
        expect![[r#"
            1:1: pcal-syntax: `--fair' not followed by `algorithm'
        "#]],
    );
}

#[test]
fn a_missing_name() {
    check_errors(
        r##"--algorithm { { a: skip } }"##,
        expect![[r#"
            1:13: pcal-syntax: Expected the name of the algorithm but found "{"
        "#]],
    );
}

#[test]
fn a_missing_sign_of_assignment() {
    check_errors(
        r##"--algorithm A
variable x = 1;
begin
 x = 3;
end algorithm"##,
        expect![[r#"
            4:7: pcal-syntax: Expected ":=" but found ";"
        "#]],
    );
}

#[test]
fn a_missing_semicolon() {
    check_errors(
        r##"--algorithm A { variable x = 0; { a: x := 1 skip } }"##,
        expect![[r#"
            1:45: pcal-syntax: Missing `;' before "skip"
        "#]],
    );
}

#[test]
fn an_empty_right_hand_side() {
    check_errors(
        r##"--algorithm A
variable x;
begin
 b: x := ;
end algorithm"##,
        expect![[r#"
            4:7: pcal-empty: Empty right-hand side of assignment
        "#]],
    );
}

#[test]
fn an_empty_await() {
    check_errors(
        r##"--algorithm A
begin
 await;
end algorithm"##,
        expect![[r#"
            3:2: pcal-empty: Empty `await' expression
        "#]],
    );
}

#[test]
fn an_empty_while() {
    check_errors(
        r##"--algorithm A begin while TRUE do end while; end algorithm"##,
        expect![[r#"
            1:44: pcal-empty: Missing body of while statement
        "#]],
    );
}

#[test]
fn an_empty_with() {
    check_errors(
        r##"--algorithm A begin with x = 0 do end with; end algorithm"##,
        expect![[r#"
            1:21: pcal-empty: Missing body of with statement
        "#]],
    );
}

#[test]
fn an_empty_with_set() {
    check_errors(
        r##"--algorithm A { { a: with (x \in ) { skip } } }"##,
        expect![[r#"
            1:30: pcal-empty: Empty with expression
        "#]],
    );
}

#[test]
fn an_empty_branch() {
    check_errors(
        r##"--algorithm A begin if TRUE then end if; end algorithm"##,
        expect![[r#"
            1:40: pcal-empty: Missing body of `then' clause
        "#]],
    );
}

#[test]
fn an_unmatched_bracket() {
    check_errors(
        r##"--algorithm A { { a: x := (1 + 2; } }"##,
        expect![[r#"
            1:33: pcal-unmatched: Expression with an unmatched (, [, {, or << followed by `;' found
        "#]],
    );
}

#[test]
fn an_if_without_its_end() {
    check_errors(
        r##"--algorithm A
begin
 b: if TRUE then skip; else skip;
end algorithm"##,
        expect![[r#"
            4:5: pcal-syntax: Expected "if" but found "algorithm"
        "#]],
    );
}

#[test]
fn an_if_without_parentheses() {
    check_errors(
        r##"--algorithm A { { a: if TRUE { skip } } }"##,
        expect![[r#"
            1:25: pcal-syntax: Expected "(" but found "TRUE"
        "#]],
    );
}

#[test]
fn a_process_without_its_end() {
    check_errors(
        r##"--algorithm A
process P = 1
begin
 a: print self;
end algorithm"##,
        expect![[r#"
            5:5: pcal-syntax: Expected "process" but found "algorithm"
        "#]],
    );
}

#[test]
fn an_either_without_or() {
    check_errors(
        r##"--algorithm A { { p: either {skip}; } }"##,
        expect![[r#"
            1:22: pcal-either: `either' statement has no `or'
        "#]],
    );
}

#[test]
fn an_unterminated_string() {
    check_errors(
        r##"--algorithm A { variable x; { p: x := "abc; }}"##,
        expect![[r#"
            1:39: pcal-lexical: Unterminated string in line 4
        "#]],
    );
}

#[test]
fn a_goto_to_nowhere() {
    check_errors(
        r##"--algorithm A { procedure P() {p: skip; goto q;} { q: goto p; } }"##,
        expect![[r#"
            1:41: pcal-goto: goto to non-existent label `q'
        "#]],
    );
}

#[test]
fn a_goto_to_error() {
    check_errors(
        r##"--algorithm A { { p: goto Error } }"##,
        expect![[r#"
            1:22: pcal-goto: goto to non-existent label `Error'
        "#]],
    );
}

#[test]
fn a_call_of_nothing() {
    check_errors(
        r##"--algorithm A begin
 a: call b();
end algorithm"##,
        expect![[r#"
            2:5: pcal-no-procedure: Call of non-existent procedure b
        "#]],
    );
}

#[test]
fn too_few_arguments() {
    check_errors(
        r##"--algorithm A
procedure P(q) begin a: return; end procedure
begin
 a: call P();
end algorithm"##,
        expect![[r#"
            4:5: pcal-arguments: Procedure P called with wrong number of arguments: 0 instead of 1
        "#]],
    );
}

#[test]
fn a_return_outside_a_procedure() {
    check_errors(
        r##"--algorithm A { process (P = 1) { p: skip; return; } }"##,
        expect![[r#"
            1:44: pcal-return: return statement not in a procedure
        "#]],
    );
}

#[test]
fn a_label_twice() {
    check_errors(
        r##"--algorithm A begin b: skip; b: skip; end algorithm"##,
        expect![[r#"
            1:33: pcal-redefined: Label b redefined
        "#]],
    );
}

#[test]
fn a_reserved_label() {
    check_errors(
        r##"--algorithm A begin Done: skip; end algorithm"##,
        expect![[r#"
            1:21: pcal-label-name: Cannot use `Done' as a label
        "#]],
    );
}

#[test]
fn a_label_in_a_macro() {
    check_errors(
        r##"--algorithm A
macro M(x) begin c: x := 1; end macro;
begin
 b: M(x);
end algorithm"##,
        expect![[r#"
            2:18: pcal-label-in-macro: A label may not appear in a macro
        "#]],
    );
}

#[test]
fn a_label_in_a_with() {
    check_errors(
        r##"--algorithm A begin b: with y = 3 do c: skip end with; end algorithm"##,
        expect![[r#"
            1:41: pcal-with: Label in `with' statement
        "#]],
    );
}

#[test]
fn a_while_in_a_with() {
    check_errors(
        r##"--algorithm A begin b: with x = 1 do while x do skip; end while; end with; end algorithm"##,
        expect![[r#"
            1:38: pcal-with: `while' inside a `with' statement
        "#]],
    );
}

#[test]
fn an_assignment_twice_in_a_with() {
    check_errors(
        r##"--algorithm A { variable x; { q: with (i \in 1..3) { x := 3; x := 5; } } }"##,
        expect![[r#"
            1:62: pcal-with: Second assignment to same variable inside a `with' statement
        "#]],
    );
}

#[test]
fn a_statement_after_goto_in_a_with() {
    check_errors(
        r##"--algorithm A { variable x; { q: with (i \in 1..3) { goto q; x := 5; } } }"##,
        expect![[r#"
            1:62: pcal-with: Statement follows `call', `return' or `goto' inside a `with' statement
        "#]],
    );
}

#[test]
fn missing_labels() {
    check_errors(
        r##"--algorithm A
variable x;
begin
 b: x := 1; x := 2;
 c: x := 3; while x = 3 do skip end while; skip;
end algorithm"##,
        expect![[r#"
            4:13: pcal-missing-label: Missing label
            5:13: pcal-missing-label: Missing label
        "#]],
    );
}

#[test]
fn a_missing_label_after_a_goto() {
    check_errors(
        r##"--algorithm A { variable x; { a: if (x = 1) goto a; x := 2 } }"##,
        expect![[r#"
            1:53: pcal-missing-label: Missing label
        "#]],
    );
}

#[test]
fn a_missing_label_in_a_macro() {
    check_errors(
        r##"--algorithm A { variable x; macro M(z) { x := z; x := 3; } { p: M(1) } }"##,
        expect![[r#"
            1:50: pcal-missing-label: Missing label, called at 1:65
        "#]],
    );
}

#[test]
fn an_unknown_macro() {
    check_errors(
        r##"--algorithm A { process (P = 1) { p: foo(); } }"##,
        expect![[r#"
            1:38: pcal-macro-undefined: Macro foo undefined
        "#]],
    );
}

#[test]
fn a_macro_in_itself() {
    check_errors(
        r##"--algorithm A
macro M(y) begin M(y); end macro;
begin
 b: M(x);
end algorithm"##,
        expect![[r#"
            2:18: pcal-macro-undefined: Macro M undefined
        "#]],
    );
}

#[test]
fn too_many_macro_arguments() {
    check_errors(
        r##"--algorithm A
variable x;
macro M(y) begin y := 1; end macro;
begin
 b: M(x, 3);
end algorithm"##,
        expect![[r#"
            5:5: pcal-arguments: Macro M called with wrong number of arguments: 2 instead of 1
        "#]],
    );
}

#[test]
fn a_macro_that_assigns_a_number() {
    check_errors(
        r##"--algorithm A
variable x;
macro M(y) begin y := 1; end macro;
begin
 b: M(3);
end algorithm"##,
        expect![[r#"
            3:18: pcal-macro-assign: Macro expansion substitutes `3' for assignment variable, called at 5:5
        "#]],
    );
}

#[test]
fn an_undeclared_variable() {
    check_errors(
        r##"--algorithm A { {p: x[1] := 3; } }"##,
        expect![[r#"
            1:21: pcal-undeclared: Assignment to undeclared variable x
        "#]],
    );
}

#[test]
fn an_undeclared_variable_in_a_macro() {
    check_errors(
        r##"--algorithm A {
 macro M(y) { y := 1; }
 { b: M(c); } }"##,
        expect![[r#"
            2:15: pcal-undeclared: Assignment to undeclared variable c, called at 3:7
        "#]],
    );
}

#[test]
fn an_undeclared_variable_in_a_multiple_assignment() {
    check_errors(
        r##"--algorithm A { variable v; { a: v := 1 || c := 2 } }"##,
        expect![[r#"
            1:41: pcal-undeclared: Assignment to undeclared variable c
        "#]],
    );
}

#[test]
fn a_variable_assigned_twice_at_once() {
    check_errors(
        r##"--algorithm A { variable x; { a: x := 1 || x := 2 } }"##,
        expect![[r#"
            1:34: pcal-multiple-assignment: Multiple assignment to x
        "#]],
    );
}

#[test]
fn a_variable_declared_twice() {
    check_errors(
        r##"--algorithm A
variable x, x;
begin
 b: skip;
end algorithm"##,
        expect![[r#"
            2:13: pcal-redefined: Global variable x redefined
        "#]],
    );
}

#[test]
fn a_variable_named_pc() {
    check_errors(
        r##"--algorithm A variable pc; begin a: skip; end algorithm"##,
        expect![[r#"
            1:24: pcal-redefined: Global variable pc redefined
        "#]],
    );
}

#[test]
fn a_local_variable_that_hides_a_global_one() {
    check_errors(
        r##"--algorithm A { variable x; process (P = 1) variable x; { a: skip } }"##,
        expect![[r#"
            1:54: pcal-redefined: Process variable x redefined
        "#]],
    );
}
