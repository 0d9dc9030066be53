//! Functions, records and tuples: one value, however it was made; EXCEPT in all its forms.

use crate::spec::{check, check_after};

#[test]
fn a_function_equals_itself_in_another_representation() {
    check(
        r#"
        <<1, 2>> = [i \in 1..2 |-> i] => TRUE
        [i \in {1, 2} |-> i] = <<1, 2>> => TRUE
        [i \in 1..2 |-> i] = (1 :> 1 @@ 2 :> 2) => TRUE
        [a |-> 1, b |-> 2] = [b |-> 2, a |-> 1] => TRUE
        [a |-> 1] = [x \in {"a"} |-> 1] => TRUE
        ("a" :> 1) = [a |-> 1] => TRUE
        <<>> = [x \in {} |-> x] => TRUE
        <<1, 2>> = <<1, 2, 3>> => FALSE
        [i \in 2..3 |-> i] = <<2, 3>> => FALSE
        [i \in 0..1 |-> i] = [i \in {1, 0} |-> i] => TRUE
        [i, j \in 1..2 |-> i + j] = [p \in (1..2) \X (1..2) |-> p[1] + p[2]] => TRUE
        [<<i, j>> \in {<<1, 2>>} |-> i + j] = (<<1, 2>> :> 3) => TRUE
        {<<1, 2>>, [i \in 1..2 |-> i]} => {<<1, 2>>}
        Cardinality({[a |-> 1], [x \in {"a"} |-> 1]}) => 1
        "#,
    );
}

#[test]
fn how_functions_print() {
    check(
        r#"
        [i \in 1..3 |-> i * i] => <<1, 4, 9>>
        [i \in 0..1 |-> i] => (0 :> 0 @@ 1 :> 1)
        [x \in {"zeta", "alpha"} |-> 1] => [zeta |-> 1, alpha |-> 1]
        [x \in {} |-> 1] => <<>>
        [zeta |-> 1, alpha |-> 2] => [zeta |-> 1, alpha |-> 2]
        [s \in SUBSET {1} |-> Cardinality(s)] => ({} :> 0 @@ {1} :> 1)
        "#,
    );
}

#[test]
fn application() {
    check(
        r#"
        <<5, 6>>[2] => 6
        [x \in {7, 9} |-> x + 1][9] => 10
        [a |-> 1].a => 1
        [a |-> 1]["a"] => 1
        [i, j \in 1..2 |-> i * 10 + j][1, 2] => 12
        [i, j \in 1..2 |-> i * 10 + j][<<1, 2>>] => 12
        [x \in Nat |-> x * 2][21] => 42
        <<5, 6>>[3] !! Attempted to access index 3 of tuple <<5, 6>>
        <<5, 6>>["a"] !! Attempted to access tuple at a non integral index
        [x \in {7} |-> x][8] !! to argument 8, which is not in the domain of the function
        [a |-> 1].b !! nonexistent field "b"
        [a |-> 1][1] !! non-string argument: 1
        5[1] !! A non-function (an integer) was applied as a function. 5
        (5).a !! Attempted to select field "a" from a non-record value 5
        [x \in Nat |-> x][-1] !! not in the domain
        "#,
    );
}

#[test]
fn domains() {
    check(
        r#"
        DOMAIN <<4, 5>> => 1..2
        DOMAIN <<>> => {}
        DOMAIN [a |-> 1, b |-> 2] => {"a", "b"}
        DOMAIN [x \in {3, 5} |-> 0] => {3, 5}
        DOMAIN [x \in Nat |-> x] => Nat
        DOMAIN [i, j \in 1..2 |-> 0] = (1..2) \X (1..2) => TRUE
        DOMAIN 3 !! DOMAIN to a non-function
        "#,
    );
}

#[test]
fn except_replaces_one_value() {
    check(
        r#"
        [<<1, 2>> EXCEPT ![1] = 9] => <<9, 2>>
        [<<1, 2>> EXCEPT ![1] = 8, ![2] = 9] => <<8, 9>>
        [<<1, 2>> EXCEPT ![1] = 8, ![1] = 9] => <<9, 2>>
        [<<1, 2>> EXCEPT ![1] = 8, ![1] = @ + 1] => <<9, 2>>
        [<<1, 2>> EXCEPT ![2] = @ * 10] => <<1, 20>>
        [[a |-> 1, b |-> 2] EXCEPT !.a = 3] => [a |-> 3, b |-> 2]
        [[a |-> 1, b |-> 2] EXCEPT !["a"] = 3] => [a |-> 3, b |-> 2]
        [[a |-> <<1, 2>>] EXCEPT !.a[2] = @ + 5] => [a |-> <<1, 7>>]
        [<<[a |-> 1]>> EXCEPT ![1].a = 4] => <<[a |-> 4]>>
        [<<<<1, 2>>, <<3, 4>>>> EXCEPT ![1][2] = 0, ![2][1] = 9] => <<<<1, 0>>, <<9, 4>>>>
        [[i, j \in 1..2 |-> 0] EXCEPT ![1, 2] = 7][1, 2] => 7
        [[i \in 1..3 |-> i] EXCEPT ![2] = 0] => <<1, 0, 3>>
        [[x \in {5, 7} |-> x] EXCEPT ![7] = @ + 1] => (5 :> 5 @@ 7 :> 8)
        [[x \in Nat |-> x] EXCEPT ![3] = 0][3] => 0
        [[x \in Nat |-> x] EXCEPT ![3] = 0][4] => 4
        "#,
    );
}

#[test]
fn except_leaves_what_is_not_there_and_fails_on_what_is_no_function() {
    check(
        r#"
        [<<1, 2>> EXCEPT ![5] = 9] => <<1, 2>>
        [[a |-> 1] EXCEPT !.b = 9] => [a |-> 1]
        [3 EXCEPT ![1] = 2] !! Attempted to apply EXCEPT construct to the value 3
        [<<1>> EXCEPT ![1][1] = 2] !! EXCEPT
        "#,
    );
}

#[test]
fn the_original_stays_as_it_was() {
    check_after(
        "F == [i \\in 1..3 |-> i]\nR == [a |-> F, b |-> 1]",
        r#"
        <<[F EXCEPT ![1] = 0], F>> => <<<<0, 2, 3>>, <<1, 2, 3>>>>
        <<[R EXCEPT !.a[1] = 0].a, R.a>> => <<<<0, 2, 3>>, <<1, 2, 3>>>>
        LET g == [F EXCEPT ![2] = 7] IN <<[g EXCEPT ![2] = @ + 1], g, F[2]>> => <<<<1, 8, 3>>, <<1, 7, 3>>, 2>>
        "#,
    );
}

#[test]
fn joining_functions() {
    check(
        r#"
        (1 :> 5) @@ (1 :> 6 @@ 2 :> 7) => <<5, 7>>
        [a |-> 1] @@ [b |-> 2] => [a |-> 1, b |-> 2]
        <<1>> @@ <<8, 9>> => <<1, 9>>
        "#,
    );
}

#[test]
fn recursive_functions() {
    check_after(
        "Fact[n \\in Nat] == IF n = 0 THEN 1 ELSE n * Fact[n - 1]\nFib[n \\in 0..40] == IF n < 2 THEN n ELSE Fib[n - 1] + Fib[n - 2]",
        r"
        Fact[5] => 120
        Fib[40] => 102334155
        LET down[n \in 0..5] == IF n = 0 THEN <<>> ELSE <<n>> \o down[n - 1] IN down[3] => <<3, 2, 1>>
        Fact[-1] !! not in the domain
        ",
    );
}

#[test]
fn functions_that_cannot_be_compared() {
    check(
        r#"
        <<1>> = 1 !! Attempted to check equality of
        [a |-> 1] = "a" !! Attempted to check equality of
        [x \in Nat |-> x] = <<1>> !! infinite set: Nat
        <<1, "a">> = <<"a", 1>> !! Attempted to check equality of
        <<1, "a">> = <<2>> => FALSE
        "#,
    );
}
