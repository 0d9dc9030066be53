//! Sequences are functions on 1..n, and operators on them accept any such function.

use crate::spec::check;

#[test]
fn operators_of_sequences() {
    check(
        r#"
        Len(<<4, 5>>) => 2
        Len([i \in 1..3 |-> i]) => 3
        Len(<<>>) => 0
        Head(<<4, 5>>) => 4
        Tail(<<4, 5, 6>>) => <<5, 6>>
        Tail(<<4>>) => <<>>
        Append(<<1>>, <<2>>) => <<1, <<2>>>>
        <<1>> \o <<2, 3>> => <<1, 2, 3>>
        <<>> \o <<>> => <<>>
        SubSeq(<<1, 2, 3, 4>>, 2, 3) => <<2, 3>>
        SubSeq(<<1, 2>>, 2, 1) => <<>>
        SelectSeq(<<1, 2, 3, 4>>, LAMBDA e : e % 2 = 0) => <<2, 4>>
        SortSeq(<<3, 1, 2>>, <) => <<1, 2, 3>>
        SortSeq(<<3, 1, 2>>, LAMBDA a, b : a > b) => <<3, 2, 1>>
        Head([i \in 1..2 |-> i * 7]) => 7
        [i \in 1..2 |-> 0] \o <<1>> => <<0, 0, 1>>
        (1 :> "a" @@ 2 :> "b") \o <<"c">> => <<"a", "b", "c">>
        <<1, 2>> \in Seq({1, 2}) => TRUE
        "#,
    );
}

#[test]
fn strings_as_sequences() {
    check(
        r#"
        Len("abc") => 3
        "ab" \o "cd" => "abcd"
        SubSeq("abcd", 2, 3) => "bc"
        Head("abc") !! should be a sequence
        Tail("abc") => "bc"
        "#,
    );
}

#[test]
fn what_is_no_sequence_or_too_short() {
    check(
        r#"
        Head(<<>>) !! Attempted to apply Head to the empty sequence
        Tail(<<>>) !! Attempted to apply Tail to the empty sequence
        Len({1}) !! The argument of Len should be a sequence
        Len([i \in 2..3 |-> i]) !! The argument of Len should be a sequence
        Append(1, 2) !! when s is not a sequence
        1 \o <<2>> !! is not a sequence
        <<2>> \o 1 !! is not a sequence
        SubSeq(<<1, 2>>, 1, 3) !! must be in the domain of its first argument
        SubSeq(<<1, 2>>, 0, 1) !! must be in the domain of its first argument
        "#,
    );
}
