//! Sets in every representation: listed, intervals, power sets, products, sets of functions and
//! records, unions, filters, and sets without end. What is equal is so however it is held.

use crate::spec::check;

#[test]
fn operators_on_listed_sets() {
    check(
        r"
        {3, 1, 2, 1} => {1, 2, 3}
        {1, 2} \cup {2, 3} => {1, 2, 3}
        {1, 2} \cap {2, 3} => {2}
        {1, 2} \ {2, 3} => {1}
        {} \cup {} => {}
        UNION {{1}, {2, 3}, {}} => {1, 2, 3}
        UNION {} => {}
        SUBSET {1, 2} => {{}, {1}, {2}, {1, 2}}
        SUBSET {} => {{}}
        {1, 2} \subseteq {2, 1, 3} => TRUE
        {1, 4} \subseteq {2, 1, 3} => FALSE
        {{1}, {}} = {{}, {1}} => TRUE
        {1} # {2} => TRUE
        1 \notin {1} => FALSE
        Cardinality({1, 1, 2}) => 2
        {x \in 1..6 : x % 2 = 0} => {2, 4, 6}
        {x * x : x \in -2..2} => {0, 1, 4}
        {<<x, y>> : x \in 1..2, y \in {x0 \in 1..2 : x0 > 1}} => {<<1, 2>>, <<2, 2>>}
        {x + y : x, y \in 1..2} => {2, 3, 4}
        {y : <<x, y>> \in {<<1, 2>>, <<3, 4>>}} => {2, 4}
        {<<x, y>> \in (1..2) \X (1..2) : x < y} => {<<1, 2>>}
        ",
    );
}

#[test]
fn a_set_equals_itself_in_another_representation() {
    check(
        r#"
        1..3 = {1, 2, 3} => TRUE
        {1, 2, 3} = 1..3 => TRUE
        2..1 = {} => TRUE
        2..1 = 9..8 => TRUE
        1..3 = {x \in 0..9 : x \in 1..3} => TRUE
        1..3 = {x + 1 : x \in 0..2} => TRUE
        SUBSET {1, 2} = {{}, {1}, {2}, {1, 2}} => TRUE
        SUBSET (1..2) = SUBSET {2, 1} => TRUE
        (1..2) \X {3} = {<<1, 3>>, <<2, 3>>} => TRUE
        [1..2 -> {5}] = {<<5, 5>>} => TRUE
        [{1, 2} -> {5, 6}] = {<<5, 5>>, <<5, 6>>, <<6, 5>>, <<6, 6>>} => TRUE
        [a : {1}, b : {2, 3}] = {[a |-> 1, b |-> 2], [b |-> 3, a |-> 1]} => TRUE
        (1..2) \cup (2..4) = 1..4 => TRUE
        (1..5) \ {2, 3} = {1, 4, 5} => TRUE
        UNION {1..2, 4..5} = {1, 2, 4, 5} => TRUE
        [{} -> {1}] = {<<>>} => TRUE
        [{1} -> {}] = {} => TRUE
        [{"a"} -> {1}] = [a : {1}] => TRUE
        BOOLEAN = {TRUE, FALSE} => TRUE
        {1..2, {3}} = {{2, 1}, 3..3} => TRUE
        "#,
    );
}

#[test]
fn membership_needs_no_list() {
    check(
        r#"
        {1, 2} \in SUBSET (1..60) => TRUE
        {1, 99} \in SUBSET (1..60) => FALSE
        <<1, 2>> \in (1..100000) \X (1..100000) => TRUE
        <<1, 0>> \in (1..100000) \X (1..100000) => FALSE
        <<1, 2, 3>> \in (1..3) \X (1..3) => FALSE
        [x \in 1..9 |-> x] \in [1..9 -> 1..100000] => TRUE
        [x \in 1..9 |-> 0] \in [1..9 -> 1..100000] => FALSE
        [x \in 1..8 |-> 1] \in [1..9 -> 1..100000] => FALSE
        [a |-> 1] \in [a : Nat] => TRUE
        [a |-> 1, b |-> 2] \in [a : Nat] => FALSE
        <<1, 2>> \in Seq(Nat) => TRUE
        <<1, -2>> \in Seq(Nat) => FALSE
        "abc" \in STRING => TRUE
        TRUE \in BOOLEAN => TRUE
        {2, 4} \in {s \in SUBSET (1..6) : Cardinality(s) = 2} => TRUE
        <<1, <<2, 3>>>> \in Nat \X (Nat \X Nat) => TRUE
        [f |-> <<1>>] \in [f : Seq(1..2)] => TRUE
        "#,
    );
}

#[test]
fn sets_without_end() {
    check(
        r"
        Nat => Nat
        SUBSET Nat => SUBSET Nat
        {1} \in SUBSET Nat => TRUE
        5 \in Nat \cup {-1} => TRUE
        -1 \in Nat \cup {-1} => TRUE
        -2 \in Nat \cup {-1} => FALSE
        5 \in Nat \cap (1..5) => TRUE
        {2, 3} \cap Nat => {2, 3}
        5 \in Int \ Nat => FALSE
        -5 \in Int \ Nat => TRUE
        Cardinality(Nat) !! Attempted to compute cardinality of the value Nat
        \E x \in Nat : x > 3 !! non-enumerable quantifier bound
        {x \in Nat : x > 3} \cap (1..5) => {4, 5}
        ",
    );
}

#[test]
fn order_of_elements() {
    check(
        r#"
        {"zeta", "alpha", "mu"} => {"zeta", "alpha", "mu"}
        {<<2>>, <<1, 1>>, <<1>>} => {<<1>>, <<2>>, <<1, 1>>}
        {{2}, {1, 3}, {}, {1}} => {{}, {1}, {2}, {1, 3}}
        {TRUE, FALSE} => {FALSE, TRUE}
        {[a |-> 2, b |-> 1], [a |-> 1, b |-> 9]} => {[a |-> 1, b |-> 9], [a |-> 2, b |-> 1]}
        "#,
    );
}

#[test]
fn what_is_no_set() {
    check(
        r#"
        1 \in 2 !! is an element of the integer 2
        1 \cup {1} !! are not both enumerable
        {1} \cap 1 !! is an element of the integer 1
        {1} \ 1 !! is an element of the integer 1
        UNION {1} !! some element of s is nonenumerable
        UNION 1 !! non-set
        1 \subseteq {1} !! S \subseteq T, but S was not enumerable
        SUBSET 1 => SUBSET 1
        Cardinality(SUBSET 1) !! cardinality of the value SUBSET 1
        Cardinality("a") !! Attempted to compute cardinality of the value "a"
        {x \in 1 : TRUE} !! value that is not a set: 1
        {1, "a"} !! Attempted to compare
        1 \in {"a"} !! Attempted to check equality of
        {x \in {1, 2} : x} !! when P was an integer
        "#,
    );
}

#[test]
fn power_sets_by_size_and_without_a_list() {
    check(
        r"
        Cardinality(SUBSET (1..10)) => 1024
        Cardinality([1..3 -> 1..4]) => 64
        Cardinality([a : 1..3, b : 1..4]) => 12
        Cardinality((1..3) \X (1..4) \X {0}) => 12
        IsFiniteSet(SUBSET (1..3)) => TRUE
        IsFiniteSet(Nat) => FALSE
        IsFiniteSet([1..2 -> Nat]) => FALSE
        (SUBSET {1, 2}) \cap (SUBSET {2, 3}) => {{}, {2}}
        (SUBSET {1, 2}) \ (SUBSET {2}) => {{1}, {1, 2}}
        UNION SUBSET {1, 2} => {1, 2}
        SUBSET {1, 2} \subseteq SUBSET (1..99) => TRUE
        ",
    );
}
