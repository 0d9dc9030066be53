//! Laws of values: order, equality, hashes, bytes and text agree with each other, and errors read
//! as TLC's do.

use std::cmp::Ordering;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::error::EvalResult;

/// A context with a few names.
pub(crate) fn ctx() -> Ctx {
    let mut symbols = Symbols::new();
    for text in ["zeta", "alpha", "a", "b", "x"] {
        symbols.intern(text);
    }
    for name in ["m", "n", "T_a", "T_b", "S_b"] {
        symbols.intern_model(name);
    }
    let (a, b) = (symbols.intern("a"), symbols.intern("b"));
    symbols.add_shape(&[b, a]);
    Ctx::new(Arc::new(symbols))
}

/// Reads a value written in TLA+: only as much of the language as values need.
pub(crate) fn read(ctx: &mut Ctx, text: &str) -> Value {
    let mut reader = Reader { rest: text };
    let value = reader.value(ctx);
    assert!(reader.rest.trim().is_empty(), "{text}: left over {}", reader.rest);
    value
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = self
            .rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn list(&mut self, ctx: &mut Ctx, close: &str) -> Vec<Value> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.value(ctx));
            self.eat(",");
        }
        items
    }

    fn value(&mut self, ctx: &mut Ctx) -> Value {
        if self.eat("<<") {
            return Value::tuple(self.list(ctx, ">>"));
        }
        if self.eat("{") {
            let items = self.list(ctx, "}");
            return ctx.set(items);
        }
        if self.eat("[") {
            let mut fields = Vec::new();
            while !self.eat("]") {
                let name = self.word();
                assert!(self.eat("|->"));
                fields.push((ctx.names.intern(&name), self.value(ctx)));
                self.eat(",");
            }
            return record(ctx, fields);
        }
        if self.eat("(") {
            let (mut keys, mut values) = (Vec::new(), Items::new());
            while !self.eat(")") {
                keys.push(self.value(ctx));
                assert!(self.eat(":>"));
                values.push(self.value(ctx));
                self.eat("@@");
            }
            let set = ctx.set(keys);
            // Written in the order of keys, and kept a function whatever the keys are.
            let domain = domain_of_set(ctx, &set).unwrap();
            return function_from_parts(domain, values);
        }
        if self.eat("\"") {
            let (text, rest) = self.rest.split_once('"').unwrap();
            self.rest = rest;
            return ctx.string(text);
        }
        if self.eat("SUBSET ") {
            let base = self.value(ctx);
            return Value::subset(base);
        }
        let word = self.word();
        if let Ok(n) = word.parse() {
            if self.eat("..") {
                let hi = self.word().parse().unwrap();
                return Value::Interval(n, hi);
            }
            return Value::Int(n);
        }
        match &*word {
            "TRUE" => Value::TRUE,
            "FALSE" => Value::FALSE,
            "Nat" => Value::lazy(LazyKind::Nat),
            "Int" => Value::lazy(LazyKind::Int),
            "STRING" => Value::lazy(LazyKind::Strings),
            "Any" => Value::lazy(LazyKind::Any),
            _ => ctx.model(&word),
        }
    }
}

fn show(ctx: &mut Ctx, result: EvalResult<Value>) -> String {
    match result {
        Ok(value) => to_text(ctx, &value),
        Err(err) => err.message,
    }
}

fn shows(text: &str, expected: &str) {
    let mut ctx = ctx();
    let value = read(&mut ctx, text);
    let value = force(&mut ctx, &value);
    assert_eq!(show(&mut ctx, value), expected, "{text}");
}

fn equality(a: &str, b: &str, expected: &str) {
    let mut ctx = ctx();
    let (x, y) = (read(&mut ctx, a), read(&mut ctx, b));
    let answer = equal(&mut ctx, &x, &y).map(Value::Bool);
    assert_eq!(show(&mut ctx, answer), expected, "{a} = {b}");
}

fn membership(a: &str, b: &str, expected: &str) {
    let mut ctx = ctx();
    let (x, y) = (read(&mut ctx, a), read(&mut ctx, b));
    let answer = sets::member(&mut ctx, &x, &y).map(Value::Bool);
    assert_eq!(show(&mut ctx, answer), expected, "{a} \\in {b}");
}

#[test]
fn a_value_is_two_words() {
    assert_eq!(std::mem::size_of::<Value>(), 16);
}

#[test]
fn sets_are_brought_in_order() {
    shows("{3, 1, 2}", "{1, 2, 3}");
    shows("{1, 1}", "{1}");
    shows("{{2, 1}, {1, 2}, {}}", "{{}, {1, 2}}");
    shows("{n, m, 3, 1}", "{m, n, 1, 3}");
    shows("{\"zeta\", \"alpha\", \"mid\"}", "{\"zeta\", \"alpha\", \"mid\"}");
    shows("{TRUE, FALSE}", "{FALSE, TRUE}");
    shows("{<<1, 2>>, <<3>>, <<>>}", "{<<>>, <<3>>, <<1, 2>>}");
    shows("{1..2, {5}, 3..3}", "{3..3, {5}, 1..2}");
    shows("{[a |-> 1, b |-> 2], <<1>>}", "{<<1>>, [a |-> 1, b |-> 2]}");
    shows("{(2 :> 1 @@ 3 :> 1), <<1, 2>>}", "{<<1, 2>>, (2 :> 1 @@ 3 :> 1)}");
    shows("{1..3, {1, 2, 3}}", "{1..3}");
    shows("SUBSET {1, 2, 3}", "{{}, {1}, {2}, {3}, {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}}");
}

#[test]
fn sets_of_many_elements_are_brought_in_order() {
    let mut ctx = ctx();
    let items: Vec<Value> =
        (0..100).map(|i| Value::tuple_from([Value::Int((i * 37) % 50)])).collect();
    let set = ctx.set(items);
    assert_eq!(sets::cardinality(&mut ctx, &set).unwrap(), 50);
    assert!(to_text(&mut ctx, &set).starts_with("{<<0>>, <<1>>, <<2>>, "));
}

#[test]
fn elements_that_cannot_be_compared_are_an_error_when_order_is_needed() {
    shows("{1, \"a\"}", "Attempted to compare string \"a\" with non-string:\n1");
    shows("{m, 1, \"a\"}", "Attempted to compare string \"a\" with non-string:\n1");
    shows("{TRUE, 1}", "Attempted to compare integer 1 with non-integer:\nTRUE");
    shows("{1, TRUE}", "Attempted to compare boolean TRUE with non-boolean:\n1");
    shows("{1, {}}", "Attempted to compare the set {} with the value:\n1");
    shows("{1, <<1>>}", "Attempted to compare the function <<1>> with the value:\n1");
    shows("{<<>>, {}}", "Attempted to compare the set {} with the value:\n<<>>");
    shows("{<<1>>, [a |-> 1]}", "Attempted to compare record:\n[a |-> 1]\nwith non-record\n<<1>>");
    shows("{T_a, 1}", "Attempted to compare the typed model value T_a and the non-model value\n1");
    shows("{T_a, S_b}", "Attempted to compare the differently-typed model values S_b and T_a");
    membership("1", "{1, \"a\"}", "TRUE");
}

#[test]
fn equality_is_that_of_functions_and_sets() {
    equality("<<5, 6>>", "(1 :> 5 @@ 2 :> 6)", "TRUE");
    equality("[a |-> 1]", "(\"a\" :> 1)", "TRUE");
    equality("[a |-> 1, b |-> 2]", "[b |-> 2, a |-> 1]", "TRUE");
    equality("1..2", "{1, 2}", "TRUE");
    equality("2..1", "{}", "TRUE");
    equality("SUBSET {1}", "{{}, {1}}", "TRUE");
    equality("SUBSET Nat", "SUBSET Nat", "TRUE");
    equality("(2 :> 1 @@ 3 :> 1)", "<<1>>", "FALSE");
    equality("(2 :> 1 @@ 3 :> 1)", "[a |-> 1]", "FALSE");
    equality("(m :> 1)", "[a |-> 1]", "FALSE");
    equality("m", "1", "FALSE");
    equality("1", "m", "FALSE");
    equality("T_a", "T_b", "FALSE");
    equality("Nat", "Int", "FALSE");
    equality("Nat", "Nat", "TRUE");
}

#[test]
fn kinds_that_have_no_equality() {
    equality("1", "\"a\"", "Attempted to check equality of integer 1 with non-integer:\n\"a\"");
    equality("TRUE", "1", "Attempted to compare equality of boolean TRUE with non-boolean:\n1");
    equality("\"a\"", "1", "Attempted to check equality of string \"a\" with non-string:\n1");
    equality("{1}", "1", "Attempted to check equality of the set {1} with the value:\n1");
    equality("{1}", "{\"a\"}", "Attempted to check equality of integer 1 with non-integer:\n\"a\"");
    equality("<<1>>", "1", "Attempted to check equality of the function <<1>> with the value:\n1");
    equality(
        "[a |-> 1]",
        "<<1>>",
        "Attempted to check equality of record:\n[a |-> 1]\nwith non-record\n<<1>>",
    );
    equality("<<1>>", "[a |-> 1]", "Attempted to compare an integer with non-integer:\n\"a\".");
    equality(
        "Nat",
        "{1}",
        "Attempted to compare overridden value Nat with non-overridden value:\n{1}",
    );
    equality("{1}", "Nat", "Attempted to check equality of the set {1} with the value:\nNat");
    equality(
        "T_a",
        "S_b",
        "Attempted to check equality of the differently-typed model values T_a and S_b",
    );
    equality(
        "T_a",
        "1",
        "Attempted to check equality of typed model value T_a and non-model value\n1",
    );
}

#[test]
fn membership_does_not_enumerate() {
    membership("5", "Nat", "TRUE");
    membership("-5", "Nat", "FALSE");
    membership("m", "Nat", "FALSE");
    membership("\"a\"", "Nat", "Attempted to check if the value:\n\"a\"\nis an element of Nat.");
    membership("{1}", "SUBSET Nat", "TRUE");
    membership("{-1}", "SUBSET Nat", "FALSE");
    membership(
        "1",
        "SUBSET {1}",
        "Attempted to check if the non-enumerable value\n1\nis element of\n{{}, {1}}",
    );
    membership(
        "m",
        "SUBSET {1}",
        "Attempted to check if the non-enumerable value\nm\nis element of\n{{}, {1}}",
    );
    membership("5", "Any", "TRUE");
    membership("1", "{\"a\"}", "Attempted to check equality of string \"a\" with non-string:\n1");
    membership(
        "T_a",
        "{1}",
        "Attempted to check equality of the typed model value T_a and the non-model value\n1",
    );
    membership("1", "1", "Attempted to check if the value:\n1\nis an element of the integer 1");
    membership("1", "<<1>>", "Attempted to check set membership in a tuple value.");
    membership(
        "\"a\"",
        "1..2",
        "Attempted to check if the value:\n\"a\"\nis in the integer interval 1..2",
    );
}

#[test]
fn sets_of_functions_go_with_the_last_argument_fastest() {
    let mut ctx = ctx();
    let (domain, range) = (read(&mut ctx, "1..2"), read(&mut ctx, "{3, 4}"));
    let set = Value::function_set(domain.clone(), range.clone());
    assert_eq!(to_text(&mut ctx, &set), "{<<3, 3>>, <<3, 4>>, <<4, 3>>, <<4, 4>>}");
    assert_eq!(sets::cardinality(&mut ctx, &set).unwrap(), 4);
    let pairs = Value::product(vec![domain, range]);
    assert_eq!(to_text(&mut ctx, &pairs), "{<<1, 3>>, <<1, 4>>, <<2, 3>>, <<2, 4>>}");
    let none = Value::function_set(Value::empty_set(), Value::lazy(LazyKind::Nat));
    let f = Value::empty_tuple();
    assert!(sets::member(&mut ctx, &f, &none).unwrap());
}

#[test]
fn large_powers_are_counted_without_enumeration() {
    let mut ctx = ctx();
    let set = Value::subset(Value::Interval(1, 20));
    assert_eq!(sets::cardinality(&mut ctx, &set).unwrap(), 1 << 20);
    let err = force(&mut ctx, &set).unwrap_err();
    assert_eq!(err.message, "Attempted to construct a set with too many elements (>1000000).");
}

#[test]
fn sets_with_an_infinite_side_stay_symbolic() {
    let mut ctx = ctx();
    let (nat, minus) = (read(&mut ctx, "Nat"), read(&mut ctx, "{-1}"));
    let union = sets::cup(&mut ctx, &nat, &minus).unwrap();
    assert_eq!(to_text(&mut ctx, &union), "{-1} \\cup Nat");
    assert!(sets::member(&mut ctx, &Value::Int(-1), &union).unwrap());
    assert!(!sets::member(&mut ctx, &Value::Int(-2), &union).unwrap());
    let int = read(&mut ctx, "Int");
    let negative = sets::difference(&mut ctx, &int, &nat).unwrap();
    assert!(sets::member(&mut ctx, &Value::Int(-5), &negative).unwrap());
    assert!(!sets::member(&mut ctx, &Value::Int(5), &negative).unwrap());
}

#[test]
fn except_replaces_one_entry_and_warns_of_absent_ones() {
    let mut ctx = ctx();
    let f = read(&mut ctx, "[a |-> <<1, 2>>, b |-> 3]");
    let path = [read(&mut ctx, "\"a\""), Value::Int(2)];
    let changed = except(&mut ctx, &f, &path, Value::Int(9)).unwrap();
    assert_eq!(to_text(&mut ctx, &changed), "[a |-> <<1, 9>>, b |-> 3]");
    assert!(ctx.warnings.is_empty());
    let path = [read(&mut ctx, "\"zz\"")];
    let same = except(&mut ctx, &f, &path, Value::Int(9)).unwrap();
    assert!(equal(&mut ctx, &f, &same).unwrap());
    assert_eq!(ctx.warnings.len(), 1);
    let err = except(&mut ctx, &Value::Int(1), &[Value::Int(1)], Value::Int(2)).unwrap_err();
    assert_eq!(err.message, "Attempted to apply EXCEPT construct to the value 1.");
}

#[test]
fn application_outside_the_domain_is_an_error() {
    let check = |f: &str, arg: &str, expected: &str| {
        let mut ctx = ctx();
        let (f, arg) = (read(&mut ctx, f), read(&mut ctx, arg));
        let result = apply(&mut ctx, &f, &arg);
        assert_eq!(show(&mut ctx, result), expected);
    };
    check("<<1, 2>>", "2", "2");
    check(
        "<<1, 2>>",
        "3",
        "Attempted to access index 3 of tuple\n<<1, 2>>\nwhich is out of bounds.",
    );
    check("<<1, 2>>", "\"a\"", "Attempted to access tuple at a non integral index: \"a\"");
    check("[a |-> 1]", "1", "Attempted to access record by a non-string argument: 1");
    check(
        "(1 :> 4 @@ 2 :> 5)",
        "4",
        "Attempted to apply function:\n<<4, 5>>\nto argument 4, which is not in the domain of the \
         function.",
    );
    check(
        "(1 :> 4 @@ 2 :> 5)",
        "\"a\"",
        "Attempted to apply function with integer domain to the non-integer argument \"a\"",
    );
}

struct AddOne;

impl Closure for AddOne {
    fn call(&self, ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
        arith::add(ctx, &args[0], &Value::Int(1))
    }

    fn location(&self) -> String {
        "line 1, col 1 to line 1, col 5 of module M".to_owned()
    }
}

#[test]
fn functions_on_infinite_domains_are_applied_on_demand() {
    let mut ctx = ctx();
    let f = Value::lambda(Value::lazy(LazyKind::Nat), Rc::new(AddOne), true);
    assert_eq!(apply(&mut ctx, &f, &Value::Int(41)).unwrap().as_int(), Some(42));
    assert_eq!(apply(&mut ctx, &f, &Value::Int(41)).unwrap().as_int(), Some(42));
    assert_eq!(
        to_text(&mut ctx, &f),
        "[x \\in Nat |-> <expression line 1, col 1 to line 1, col 5 of module M>]"
    );
    assert!(apply(&mut ctx, &f, &Value::Int(-1)).is_err());
    let patched = except(&mut ctx, &f, &[Value::Int(3)], Value::Int(0)).unwrap();
    assert_eq!(apply(&mut ctx, &patched, &Value::Int(3)).unwrap().as_int(), Some(0));
    assert_eq!(apply(&mut ctx, &patched, &Value::Int(4)).unwrap().as_int(), Some(5));
    let finite = Value::lambda(Value::Interval(1, 3), Rc::new(AddOne), true);
    assert_eq!(to_text(&mut ctx, &finite), "<<2, 3, 4>>");
    let tuple = read(&mut ctx, "<<2, 3, 4>>");
    assert!(equal(&mut ctx, &finite, &tuple).unwrap());
    assert_eq!(hash64(&mut ctx, &finite).unwrap(), hash64(&mut ctx, &tuple).unwrap());
}

#[test]
fn arithmetic_does_not_wrap() {
    let mut ctx = ctx();
    let mut check = |result: fn(&mut Ctx, &Value, &Value) -> EvalResult<Value>, a, b, expected| {
        let result = result(&mut ctx, &Value::Int(a), &Value::Int(b));
        assert_eq!(show(&mut ctx, result), expected);
    };
    check(arith::divide, -7, 2, "-4");
    check(arith::divide, 7, -2, "-4");
    check(arith::divide, -8, -2, "4");
    check(arith::modulo, -7, 2, "1");
    check(arith::power, 2, 31, "Overflow when computing 2^31");
    check(arith::power, 0, 0, "0^0 is undefined.");
    check(arith::add, i32::MAX, 1, "Overflow when computing 2147483647+1");
    check(arith::multiply, 65536, 65536, "Overflow when computing 65536*65536");
    check(arith::divide, i32::MIN, -1, "Overflow when computing -2147483648 \\div -1");
    check(arith::divide, 5, 0, "The second argument of \\div is 0.");
    check(
        arith::modulo,
        5,
        -2,
        "The second argument of % should be a positive number, but instead it is:\n-2",
    );
}

#[test]
fn renaming_model_values_reorders_sets() {
    let mut ctx = ctx();
    let value = read(&mut ctx, "<<{m, 1}, [a |-> (m :> 1 @@ n :> 2)], 5>>");
    let swap: Vec<ModelId> = [1, 0, 2, 3, 4].into_iter().map(ModelId).collect();
    let renamed = permute(&mut ctx, &value, &swap).unwrap();
    assert_eq!(to_text(&mut ctx, &renamed), "<<{n, 1}, [a |-> (m :> 2 @@ n :> 1)], 5>>");
    let back = permute(&mut ctx, &renamed, &swap).unwrap();
    assert!(equal(&mut ctx, &value, &back).unwrap());
}

#[test]
fn run_time_strings_mean_the_same_to_every_worker() {
    let (mut one, mut two) = (ctx(), ctx());
    two.string("something else");
    let (a, b) =
        (read(&mut one, "{\"new\", \"a\", \"mid\"}"), read(&mut two, "{\"mid\", \"new\", \"a\"}"));
    assert_eq!(hash64(&mut one, &a).unwrap(), hash64(&mut two, &b).unwrap());
    assert_eq!(to_text(&mut one, &a), "{\"a\", \"mid\", \"new\"}");
    assert_eq!(to_text(&mut two, &b), "{\"a\", \"mid\", \"new\"}");
    let (mut bytes, mut other) = (Vec::new(), Vec::new());
    encode(&mut one, &a, &mut bytes).unwrap();
    encode(&mut two, &b, &mut other).unwrap();
    assert_eq!(bytes, other);
    let moved = decode(&mut &bytes[..], &mut two).unwrap();
    assert!(equal(&mut two, &moved, &b).unwrap());
}

#[test]
fn damaged_bytes_are_an_error() {
    let mut ctx = ctx();
    let value = read(&mut ctx, "<<{m, 1}, [a |-> \"new\", b |-> -500], (2 :> 1 @@ 3 :> 9)>>");
    let mut bytes = Vec::new();
    encode(&mut ctx, &value, &mut bytes).unwrap();
    for n in 0..bytes.len() {
        assert!(decode(&mut &bytes[..n], &mut ctx).is_err());
    }
}

#[test]
fn wide_values_are_wrapped() {
    let check = |text: &str, expected: &str| {
        let mut ctx = ctx();
        let value = read(&mut ctx, text);
        assert_eq!(print_wrapped(&mut ctx, &value), expected);
    };
    check(
        &format!("[a |-> \"{}\", b |-> 1]", "y".repeat(61)),
        &format!("[a |-> \"{}\", b |-> 1]", "y".repeat(61)),
    );
    check(
        &format!("[a |-> \"{}\", b |-> 1]", "y".repeat(62)),
        &format!("[ a |-> \"{}\",\n  b |-> 1 ]", "y".repeat(62)),
    );
    let (long, short) = ("y".repeat(35), "y".repeat(29));
    check(
        &format!("[a |-> <<\"{long}\", \"{short}\">>, b |-> 1]"),
        &format!("[ a |->\n      << \"{long}\",\n         \"{short}\" >>,\n  b |-> 1 ]"),
    );
    check(
        &format!("[a |-> <<\"{long}\", \"{}\">>, b |-> 1]", &short[1..]),
        &format!("[ a |->\n      <<\"{long}\", \"{}\">>,\n  b |-> 1 ]", &short[1..]),
    );
    // Strings made at run time are in alphabetical order.
    let (long, short) = ("x".repeat(37), "y".repeat(28));
    check(
        &format!("(<<1, 2>> :> {{\"{long}\", \"{short}\"}} @@ <<2, 2>> :> {{\"{long}\"}})"),
        &format!(
            "( <<1, 2>> :>\n      {{ \"{long}\",\n        \"{short}\" }} @@\n  <<2, 2>> :> \
             {{\"{long}\"}} )"
        ),
    );
}

/// A random value of some kind, so that most pairs of one kind can be compared.
fn values() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        (-3_i32..4).prop_map(Recipe::Int),
        (-3_i32..4, -3_i32..6).prop_map(|(a, b)| Recipe::Interval(a, b)),
        any::<bool>().prop_map(Recipe::Bool),
        prop::sample::select(vec!["zeta", "alpha", "a", "new", "fresh"]).prop_map(Recipe::Str),
        prop::sample::select(vec!["m", "n"]).prop_map(Recipe::Model),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Recipe::Set),
            prop::collection::vec(-3_i32..4, 0..5).prop_map(Recipe::Ints),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Recipe::Tuple),
            prop::collection::vec(inner.clone(), 1..3).prop_map(Recipe::Record),
            (-1_i32..3, prop::collection::vec(inner.clone(), 0..4))
                .prop_map(|(lo, items)| Recipe::Function(lo, items)),
            prop::collection::vec(-2_i32..3, 0..3).prop_map(Recipe::Power),
        ]
    })
}

/// How to build a value in a context.
#[derive(Clone, Debug)]
enum Recipe {
    Int(i32),
    Interval(i32, i32),
    Bool(bool),
    Str(&'static str),
    Model(&'static str),
    Set(Vec<Recipe>),
    Ints(Vec<i32>),
    Tuple(Vec<Recipe>),
    Record(Vec<Recipe>),
    Function(i32, Vec<Recipe>),
    Power(Vec<i32>),
}

fn build(ctx: &mut Ctx, recipe: &Recipe) -> Value {
    let all = |ctx: &mut Ctx, list: &[Recipe]| -> Vec<Value> {
        list.iter().map(|it| build(ctx, it)).collect()
    };
    match recipe {
        Recipe::Int(n) => Value::Int(*n),
        Recipe::Interval(a, b) => Value::Interval(*a, *b),
        Recipe::Bool(b) => Value::Bool(*b),
        Recipe::Str(s) => ctx.string(s),
        Recipe::Model(s) => ctx.model(s),
        Recipe::Set(list) => {
            let items = all(ctx, list);
            ctx.set(items)
        }
        Recipe::Ints(list) => {
            let items: Vec<Value> = list.iter().map(|n| Value::Int(*n)).collect();
            ctx.set(items)
        }
        Recipe::Tuple(list) => Value::tuple(all(ctx, list)),
        Recipe::Record(list) => {
            let names: Vec<Sym> = ["b", "a"].map(|it| ctx.names.intern(it)).to_vec();
            let items = all(ctx, list);
            record(ctx, names.into_iter().zip(items).collect())
        }
        Recipe::Function(lo, list) => {
            let items = all(ctx, list);
            let hi = lo + items.len() as i32 - 1;
            function_from_parts(Rc::new(Domain::Interval(*lo, hi)), items.into())
        }
        Recipe::Power(list) => {
            let items: Vec<Value> = list.iter().map(|n| Value::Int(*n)).collect();
            let base = ctx.set(items);
            Value::subset(base)
        }
    }
}

/// Whether a value, and all in it, can be brought in order.
fn sound(ctx: &mut Ctx, value: &Value) -> bool {
    force(ctx, value).and_then(|it| hash64(ctx, &it)).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn order_equality_hash_and_bytes_agree(x in values(), y in values(), z in values()) {
        let mut ctx = ctx();
        let (a, b, c) = (build(&mut ctx, &x), build(&mut ctx, &y), build(&mut ctx, &z));
        prop_assume!([&a, &b, &c].into_iter().all(|it| sound(&mut ctx, it)));
        if let Ok(order) = compare(&mut ctx, &a, &b) {
            // Whether a record is compared with a function depends on which one is asked.
            if let Ok(reverse) = compare(&mut ctx, &b, &a) {
                prop_assert_eq!(reverse, order.reverse());
            }
            if let Ok(same) = equal(&mut ctx, &a, &b) {
                prop_assert_eq!(same, order == Ordering::Equal);
            }
            if let (Ok(second), Ok(third)) = (compare(&mut ctx, &b, &c), compare(&mut ctx, &a, &c))
                && order == second
            {
                prop_assert_eq!(third, order);
            }
            let (mut p, mut q) = (Vec::new(), Vec::new());
            encode(&mut ctx, &a, &mut p).unwrap();
            encode(&mut ctx, &b, &mut q).unwrap();
            prop_assert_eq!(p == q, order == Ordering::Equal);
            let hashes = (hash64(&mut ctx, &a).unwrap(), hash64(&mut ctx, &b).unwrap());
            prop_assert_eq!(hashes.0 == hashes.1, order == Ordering::Equal);
        }
    }

    #[test]
    fn bytes_bring_the_value_back(x in values()) {
        let mut ctx = ctx();
        let a = build(&mut ctx, &x);
        prop_assume!(sound(&mut ctx, &a));
        let mut bytes = Vec::new();
        encode(&mut ctx, &a, &mut bytes).unwrap();
        let mut rest = &bytes[..];
        let b = decode(&mut rest, &mut ctx).unwrap();
        prop_assert!(rest.is_empty());
        prop_assert!(equal(&mut ctx, &a, &b).unwrap());
        prop_assert_eq!(hash64(&mut ctx, &a).unwrap(), hash64(&mut ctx, &b).unwrap());
        let mut again = Vec::new();
        encode(&mut ctx, &b, &mut again).unwrap();
        prop_assert_eq!(&bytes, &again);
        prop_assert_eq!(to_text(&mut ctx, &b), to_text(&mut ctx, &b.clone()));
    }

    #[test]
    fn set_operations_agree_with_membership(x in prop::collection::vec(-9_i32..9, 0..24),
                                            y in prop::collection::vec(-9_i32..9, 0..24)) {
        let mut ctx = ctx();
        let a = ctx.set(x.iter().map(|n| Value::tuple_from([Value::Int(*n)])).collect::<Vec<_>>());
        let b = ctx.set(y.iter().map(|n| Value::tuple_from([Value::Int(*n)])).collect::<Vec<_>>());
        let cup = sets::cup(&mut ctx, &a, &b).unwrap();
        let cap = sets::cap(&mut ctx, &a, &b).unwrap();
        let diff = sets::difference(&mut ctx, &a, &b).unwrap();
        for n in -10..10 {
            let e = Value::tuple_from([Value::Int(n)]);
            let (p, q) = (x.contains(&n), y.contains(&n));
            prop_assert_eq!(sets::member(&mut ctx, &e, &cup).unwrap(), p || q);
            prop_assert_eq!(sets::member(&mut ctx, &e, &cap).unwrap(), p && q);
            prop_assert_eq!(sets::member(&mut ctx, &e, &diff).unwrap(), p && !q);
        }
        prop_assert_eq!(sets::subset_eq(&mut ctx, &a, &b).unwrap(), x.iter().all(|n| y.contains(n)));
    }

    #[test]
    fn wrapping_only_changes_white_space(x in prop::collection::vec(values(), 0..12)) {
        let mut ctx = ctx();
        let items: Vec<Value> = x.iter().map(|it| build(&mut ctx, it)).collect();
        let text = to_text(&mut ctx, &Value::tuple(items));
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(squeeze(&wrap(&text)), squeeze(&text));
    }
}
