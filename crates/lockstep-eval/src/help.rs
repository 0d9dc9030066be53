//! Ways out: what to write instead, or where to look, by what an error of evaluation says.
//!
//! One table, so that the advice reads as one text. The words are those of the messages, which are
//! TLC's and do not change.

use crate::error::{EvalError, code};

/// What to do about errors with a number of their own.
const BY_CODE: &[(u32, &str)] = &[
    (
        code::OVERFLOW,
        "integers have 32 bits, as in TLC: keep the model's numbers between -2147483648 and \
         2147483647",
    ),
    (
        code::DIVISION_BY_ZERO,
        "ask for a divisor that is not 0 before: IF b # 0 THEN a \\div b ELSE …",
    ),
    (code::EMPTY_SEQUENCE, "ask before whether the sequence is empty: s # <<>> /\\ …"),
    (code::INDEX, "indices of a sequence s are the elements of 1..Len(s)"),
    (
        code::REGISTER_UNDEFINED,
        "set it before it is read: ASSUME TLCSet(i, 0); every worker has registers of its own",
    ),
    (
        code::TOO_DEEP,
        "look for a case that ends the recursion; CommunityModules' FoldSet and FoldSeq do not nest",
    ),
    (
        code::SET_TOO_LARGE,
        "make the set smaller, or test for membership instead of making it; --max-set-size raises \
         the limit",
    ),
    (
        code::CARDINALITY,
        "only finite sets have a cardinality; the model can put a finite set in the place of an \
         infinite one: CONSTANT Nat <- SmallNat",
    ),
    (code::NOT_IN_DOMAIN, "ask before whether it is there: x \\in DOMAIN f /\\ …"),
];

/// What to do about the others: part of the message, and the advice.
const BY_WORDS: &[(&str, &str)] = &[
    ("nonexistent field", "a record has the fields it was made with; DOMAIN r tells which"),
    ("to select field", "r.a needs a record; is the value of another kind by mistake?"),
    (
        "was applied as a function",
        "only functions, records, tuples and sequences can be applied with [ ]; operators are \
         applied with ( )",
    ),
    (
        "heck equality",
        "values of different kinds cannot be compared; a model value can be compared with \
         everything and equals only itself",
    ),
    (
        "compare equality",
        "values of different kinds cannot be compared; a model value can be compared with \
         everything and equals only itself",
    ),
    (
        "Attempted to compare",
        "the elements of a set must be of one kind; a model value goes with every kind",
    ),
    (
        "should be an integer",
        "arithmetic is for integers; sets are joined with \\cup, sequences with \\o",
    ),
    ("0^0", "ask before whether base and exponent are 0"),
    ("of ^ should be", "exponents are natural numbers"),
    ("of % should be", "the divisor of % must be greater than 0"),
    ("when s is not a sequence", "a sequence is a function with the domain 1..n: <<>>, <<a, b>>"),
    ("should be a sequence", "a sequence is a function with the domain 1..n: <<>>, <<a, b>>"),
    ("of SortSeq", "it sorts a sequence: SortSeq(s, LAMBDA a, b : a < b)"),
    ("of SelectSeq", "the operator must yield TRUE or FALSE for every element"),
    (
        "infinitely many elements",
        "bound it by a finite set, such as 0..N; the model can put one in the place of an infinite \
         set: CONSTANT Nat <- SmallNat",
    ),
    (
        "infinite set",
        "bound it by a finite set, such as 0..N; the model can put one in the place of an infinite \
         set: CONSTANT Nat <- SmallNat",
    ),
    ("non-enumerable quantifier bound", "the bound after \\in must be a set"),
    (
        "unbounded CHOOSE",
        "for a value outside of a set, make the definition a model value: CONSTANT None = None",
    ),
    ("unbounded", "give it a bound: \\in a finite set"),
    (
        "no element of S satisfied P",
        "ask before whether there is one: IF \\E x \\in S : P THEN CHOOSE x \\in S : P ELSE …",
    ),
    ("CASE with no conditions true", "add the arm that is left: [] OTHER -> …"),
    ("condition of an IF", "the condition must be TRUE or FALSE; is a comparison missing?"),
    ("condition of a CASE", "a condition must be TRUE or FALSE; is a comparison missing?"),
    ("when P was", "a formula must be TRUE or FALSE; is a comparison missing?"),
    ("when Q was", "a formula must be TRUE or FALSE; is a comparison missing?"),
    ("operator ~", "~ is for TRUE and FALSE; an integer is negated with -, a set with S \\ T"),
    ("expected a boolean value", "a formula must be TRUE or FALSE; is a comparison missing?"),
    ("is an element of", "what stands after \\in must be a set"),
    ("set membership", "what stands after \\in must be a set"),
    ("of form S \\subseteq T", "both sides of \\subseteq must be sets, the left one finite"),
    ("are not both enumerable", "both sides must be sets; an element is added with S \\cup {e}"),
    ("UNION(s)", "UNION is for a set of sets; two sets are joined with \\cup"),
    ("operator UNION", "UNION is for a set of sets; two sets are joined with \\cup"),
    ("number of elements in the", "SUBSET is for a finite set"),
    ("DOMAIN to a non-function", "only functions, records, tuples and sequences have a domain"),
    ("apply EXCEPT", "EXCEPT is for functions, records, tuples and sequences"),
    ("from the empty set", "ask before whether the set is empty: S # {}"),
    ("not a finite set", "give it a finite set"),
    (
        "function with a finite domain",
        "a bag is a function from elements to how often they occur: SetToBag(S), e :> 1",
    ),
    (
        "is not a legal state",
        "give every variable a value on every way through: v = …, or v \\in S",
    ),
    (
        "is not completely specified",
        "give every variable a value on every way through: v' = …, or UNCHANGED v",
    ),
    (
        "is either undefined or not an operator",
        "a variable must get its value (v' = …, v' \\in …) before that value is read, from left to \
         right",
    ),
];

/// What to do about an error.
pub fn help(it: &EvalError) -> Option<&'static str> {
    let by_code = BY_CODE.iter().find(|(code, _)| *code == it.code).map(|(_, text)| *text);
    by_code.or_else(|| {
        let words = BY_WORDS.iter().find(|(words, _)| it.message.contains(words));
        words.map(|(_, text)| *text)
    })
}
