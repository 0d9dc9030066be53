//! Integers of 32 bits: nothing wraps, and what is no integer is told.

use crate::spec::check;

#[test]
fn arithmetic() {
    check(
        r#"
        2 + 3 * 4 => 14
        7 - 10 => -3
        -(3 - 5) => 2
        2^10 => 1024
        (-2)^3 => -8
        0^1 => 0
        5^0 => 1
        7 \div 2 => 3
        -7 \div 2 => -3
        (-7) \div 2 => -4
        (-7) \div (-2) => 3
        7 \div (-2) => -4
        7 % 3 => 1
        -7 % 3 => 2
        (-7) % 3 => 2
        1..3 => 1..3
        3..1 => {}
        -1..1 => -1..1
        3 < 3 => FALSE
        3 <= 3 => TRUE
        -1 > -2 => TRUE
        2 >= 3 => FALSE
        2147483647 => 2147483647
        -2147483647 - 1 => -2147483648
        46340 * 46340 => 2147395600
        "#,
    );
}

#[test]
fn what_does_not_fit_is_an_error() {
    check(
        r"
        2147483647 + 1 !! Overflow when computing 2147483647+1
        -2147483647 - 2 !! Overflow when computing -2147483647-2
        65536 * 32768 !! Overflow when computing 65536*32768
        2^31 !! Overflow when computing 2^31
        (-2)^31 => -2147483648
        (-2147483647 - 1) * (-1) !! Overflow when computing
        -(-2147483647 - 1) !! Overflow when computing
        (-2147483647 - 1) \div (-1) !! Overflow when computing
        ",
    );
}

#[test]
fn partial_operators() {
    check(
        r"
        1 \div 0 !! The second argument of \div is 0.
        1 % 0 !! should be a positive number
        1 % (-3) !! should be a positive number
        2^(-1) !! should be a natural number
        0^0 !! 0^0 is undefined.
        ",
    );
}

#[test]
fn what_is_no_integer() {
    check(
        r#"
        1 + "a" !! The second argument of + should be an integer, but instead it is: "a"
        "a" + 1 !! The first argument of + should be an integer
        {} * 1 !! The first argument of * should be an integer
        1 .. TRUE !! The second argument of .. should be an integer
        <<1>> < 2 !! The first argument of < should be an integer
        1 >= "b" !! The second argument of >= should be an integer
        -TRUE !! The argument of - should be an integer
        "#,
    );
}

#[test]
fn membership_in_sets_of_numbers() {
    check(
        r#"
        3 \in Nat => TRUE
        -3 \in Nat => FALSE
        -3 \in Int => TRUE
        0 \in 1..9 => FALSE
        9 \in 1..9 => TRUE
        2147483647 \in 0..2147483647 => TRUE
        {1, 2} \subseteq Nat => TRUE
        {1, -2} \subseteq Nat => FALSE
        1..1000000000 \subseteq Nat => TRUE
        -1..1000000000 \subseteq Nat => FALSE
        -1..1000000000 \subseteq Int => TRUE
        2..-5 \subseteq Nat => TRUE
        "#,
    );
}
