//! What is evaluated, and in which order: an error in a part that is not needed does not show.

use crate::spec::{check, check_after};

/// A value that is an error when it is asked for.
const BAD: &str = "Bad == Head(<<>>)\nTwice(a) == a + a\nIgnore(a) == 1\nFirst(a, b) == IF a THEN 1 ELSE b\nRECURSIVE Deep(_, _)\nDeep(n, a) == IF n = 0 THEN 0 ELSE IF n = 99 THEN a ELSE Deep(n - 1, a)\nApply(F(_), a) == F(a)";

#[test]
fn connectives_go_from_left_to_right() {
    check_after(
        BAD,
        r"
        FALSE /\ Bad => FALSE
        TRUE \/ Bad => TRUE
        (FALSE => Bad) => TRUE
        Bad /\ FALSE !! empty sequence
        Bad \/ TRUE !! empty sequence
        TRUE /\ Bad !! empty sequence
        (1 = 2 /\ Bad) \/ TRUE => TRUE
        ",
    );
}

#[test]
fn branches() {
    check_after(
        BAD,
        r"
        IF TRUE THEN 1 ELSE Bad => 1
        IF FALSE THEN Bad ELSE 2 => 2
        CASE TRUE -> 1 [] Bad -> 2 => 1
        CASE FALSE -> Bad [] TRUE -> 2 => 2
        CASE FALSE -> Bad [] OTHER -> 3 => 3
        CASE TRUE -> 1 [] TRUE -> 2 => 1
        CASE FALSE -> 1 !! CASE with no conditions true
        IF Bad THEN 1 ELSE 1 !! empty sequence
        IF 3 THEN 1 ELSE 2 !! (an integer) was used as the condition of an IF
        CASE 3 -> 1 !! (an integer) was used as a condition of a CASE
        ",
    );
}

#[test]
fn arguments_and_local_definitions() {
    check_after(
        BAD,
        r"
        Ignore(Bad) => 1
        Twice(Bad) !! empty sequence
        First(TRUE, Bad) => 1
        First(FALSE, Bad) !! empty sequence
        Deep(5, Bad) => 0
        Deep(99, Bad) !! empty sequence
        Apply(LAMBDA x : 7, Bad) => 7
        Apply(Ignore, Bad) => 1
        LET b == Bad IN 5 => 5
        LET b == Bad IN IF TRUE THEN 1 ELSE b => 1
        LET f(x) == Bad IN 5 => 5
        LET b == 1 c == b + 1 IN c + b => 3
        ",
    );
}

#[test]
fn quantifiers_stop_where_the_answer_is_known() {
    check_after(
        BAD,
        r"
        \E x \in 1..3 : x = 1 \/ Bad => TRUE
        \A x \in 1..3 : x > 1 /\ Bad => FALSE
        \E x \in {} : Bad => FALSE
        \A x \in {} : Bad => TRUE
        \E x \in 1..3 : x = 3 \/ Bad !! empty sequence
        \E x \in 1..2, y \in 1..2 : x = 2 /\ y = 1 => TRUE
        \A x, y \in 1..3 : x + y = y + x => TRUE
        \E <<x, y>> \in {<<1, 2>>} : y = 2 => TRUE
        \E x \in 1..3 : \A y \in 1..3 : y >= x => TRUE
        \A x \in 1..3 : \E y \in 1..2 : y > x => FALSE
        \E x \in 1..2 : x !! TLC expected a boolean value
        \A x : x = 1 !! unbounded \A
        \E x \in 5 : TRUE !! non-enumerable quantifier bound
        ",
    );
}

#[test]
fn elements_that_are_not_asked_for() {
    check_after(
        BAD,
        r"
        [x \in 1..3 |-> IF x = 2 THEN Bad ELSE x][1] => 1
        [x \in 1..3 |-> IF x = 2 THEN Bad ELSE x][2] !! empty sequence
        [x \in Nat |-> IF x = 2 THEN Bad ELSE x][7] => 7
        DOMAIN [x \in 1..3 |-> Bad] => 1..3
        1 \in {x \in 1..3 : x = 1 \/ Bad} => TRUE
        {x \in 1..3 : Bad} !! empty sequence
        ",
    );
}

#[test]
fn choose_takes_the_first_in_order() {
    check(
        r#"
        CHOOSE x \in {3, 1, 2} : TRUE => 1
        CHOOSE x \in {3, 1, 2} : x > 1 => 2
        CHOOSE x \in 5..9 : x % 4 = 0 => 8
        CHOOSE s \in SUBSET {1, 2} : s # {} => {1}
        CHOOSE s \in SUBSET {1, 2, 3} : Cardinality(s) = 2 => {1, 2}
        CHOOSE f \in [1..2 -> {5, 6}] : f[1] # f[2] => <<5, 6>>
        CHOOSE r \in [a : {1, 2}, b : {3, 4}] : r.a + r.b = 5 => [a |-> 1, b |-> 4]
        CHOOSE p \in {2, 1} \X {4, 3} : TRUE => <<1, 3>>
        CHOOSE <<x, y>> \in {<<2, 1>>, <<1, 2>>} : x < y => <<1, 2>>
        CHOOSE b \in BOOLEAN : TRUE => FALSE
        CHOOSE x \in {y * 2 : y \in 1..3} : x > 2 => 4
        CHOOSE x \in {} : TRUE !! no element of S satisfied P
        CHOOSE x \in 1..3 : x > 5 !! no element of S satisfied P
        CHOOSE x \in Nat : x > 5 !! S was not enumerable
        CHOOSE x : x > 5 !! unbounded CHOOSE
        "#,
    );
}

#[test]
fn choose_is_the_same_however_the_set_is_made() {
    check(
        r"
        (CHOOSE x \in {1, 2, 3} : x > 1) = (CHOOSE x \in 1..3 : x > 1) => TRUE
        (CHOOSE x \in {3, 2, 1} : TRUE) = (CHOOSE x \in {1, 2, 3} : TRUE) => TRUE
        (CHOOSE s \in SUBSET (1..3) : 2 \in s) = (CHOOSE s \in {{2, 3}, {2}, {1, 2}} : TRUE) => TRUE
        (CHOOSE x \in {1} \cup {0} : TRUE) = (CHOOSE x \in 0..1 : TRUE) => TRUE
        ",
    );
}

#[test]
fn booleans_are_needed() {
    check(
        r#"
        1 /\ TRUE !! P /\ Q when P was an integer
        TRUE /\ 1 !! P /\ Q when Q was an integer
        1 \/ TRUE !! P \/ Q when P was an integer
        FALSE \/ "a" !! P \/ Q when Q was a string
        ~1 !! the operator ~ to a non-boolean
        (1 <=> TRUE) !! P <=> Q when P was an integer
        (TRUE <=> {}) !! P <=> Q when Q was a set
        TRUE = 1 !! Attempted to compare equality of boolean TRUE with non-boolean
        "#,
    );
}
