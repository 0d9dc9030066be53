//! The tables are consistent with the modules' text.

use std::collections::BTreeSet;

use super::*;
use crate::value::tests::{ctx, read};
use crate::value::{arith, equal, to_text};

#[test]
fn no_operator_has_two_rows() {
    let mut seen = BTreeSet::new();
    for it in natives() {
        assert!(seen.insert((it.module, it.name, it.params.len())), "{} {}", it.module, it.name);
    }
    assert!(seen.len() > 100);
}

#[test]
fn every_native_stands_in_its_module() {
    for it in natives() {
        let text = module_source(it.module).expect(it.module);
        let symbol = match it.name {
            "\\leq" => "<=",
            "\\geq" => ">=",
            "\\oplus" => "(+)",
            "\\ominus" => "(-)",
            "-." => "-. a",
            name => name,
        };
        let defined = text.lines().any(|line| {
            line.contains("==")
                && (line.starts_with(&format!("{symbol}("))
                    || line.starts_with(&format!("{symbol} "))
                    || line.starts_with(symbol)
                    || line.contains(&format!(" {symbol} ")))
        });
        assert!(defined, "{}!{} is not defined", it.module, it.name);
    }
}

#[test]
fn infix_operators_are_found_by_any_spelling() {
    for (name, arity) in [("=<", 2), ("<=", 2), ("\\leq", 2), ("-.", 1), ("÷", 2)] {
        let module = if arity == 1 { "Integers" } else { "Naturals" };
        assert!(native(module, name, arity).is_some(), "{name}");
    }
    assert!(native("Sequences", "\\circ", 2).is_some());
    assert!(native("Bags", "(+)", 2).is_some());
}

#[test]
fn texts_hold_the_module_they_are_named_for() {
    for (name, text) in MODULES {
        assert!(text.contains(&format!("MODULE {name} ")), "{name}");
        assert!(text.trim_end().ends_with("===="), "{name}");
    }
}

/// An operator argument written as a Rust function.
struct Op(usize, fn(&mut Ctx, &[Value]) -> EvalResult<Value>);

impl Closure for Op {
    fn call(&self, ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
        (self.1)(ctx, args)
    }

    fn arity(&self) -> usize {
        self.0
    }
}

/// The operators that the cases below name.
fn op(name: &str) -> Option<Op> {
    Some(match name {
        "pair" => Op(2, |_, a| Ok(Value::tuple_from(a.to_vec()))),
        "<" => Op(2, |ctx, a| arith::less(ctx, &a[0], &a[1])),
        ">" => Op(2, |ctx, a| arith::greater(ctx, &a[0], &a[1])),
        "+" => Op(2, |ctx, a| arith::add(ctx, &a[0], &a[1])),
        "is2" => Op(1, |ctx, a| Ok(Value::Bool(equal(ctx, &a[0], &Value::Int(2))?))),
        "over1" => Op(1, |ctx, a| arith::greater(ctx, &a[0], &Value::Int(1))),
        "odd" => Op(1, |ctx, a| arith::modulo(ctx, &a[0], &Value::Int(2))),
        "square" => Op(1, |ctx, a| arith::multiply(ctx, &a[0], &a[0])),
        "seven" => Op(1, |_, _| Ok(Value::Int(7))),
        "max" => Op(1, |ctx, a| {
            let max = native("FiniteSetsExt", "Max", 1).unwrap();
            let Run::Strict(run) = max.run else { unreachable!() };
            run(ctx, a)
        }),
        "headOfNothing" => Op(0, |ctx, _| {
            let head = native("Sequences", "Head", 1).unwrap();
            let Run::Strict(run) = head.run else { unreachable!() };
            run(ctx, &[Value::empty_tuple()])
        }),
        _ => return None,
    })
}

fn call_in(ctx: &mut Ctx, call: &str) -> String {
    let mut words = call.split(" ; ");
    let (module, name) = words.next().unwrap().split_once('!').unwrap();
    let words: Vec<&str> = words.collect();
    let row = native(module, name, words.len()).unwrap_or_else(|| panic!("no row for {call}"));
    let result = match row.run {
        Run::Strict(run) => {
            let args: Vec<Value> = words.iter().map(|it| read(ctx, it)).collect();
            run(ctx, &args)
        }
        Run::Mixed(run) => {
            let args: Vec<NativeArg> = words
                .iter()
                .map(|it| match op(it) {
                    Some(op) => NativeArg::Operator(Rc::new(op)),
                    None => NativeArg::Value(read(ctx, it)),
                })
                .collect();
            run(ctx, &args)
        }
    };
    match result {
        Ok(value) => to_text(ctx, &value),
        Err(err) => err.message,
    }
}

/// Each line is a call, `=>`, and what TLC gives for it.
fn check(cases: &str) {
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (call, expected) = line.split_once(" => ").unwrap();
        let mut ctx = ctx();
        let shown = call_in(&mut ctx, call).replace('\n', "|");
        assert_eq!(shown, expected, "{call}");
    }
}

#[test]
fn sequences_and_strings() {
    check(
        r#"
        Sequences!Len ; <<1, 2>> => 2
        Sequences!Len ; "abc" => 3
        Sequences!Len ; {1} => The argument of Len should be a sequence, but instead it is:|{1}
        Sequences!Len ; (1 :> 1 @@ 2 :> 2) => 2
        Sequences!Len ; (2 :> 2 @@ 3 :> 3) => The argument of Len should be a sequence, but instead it is:|(2 :> 2 @@ 3 :> 3)
        Sequences!Head ; <<1, 2>> => 1
        Sequences!Head ; <<>> => Attempted to apply Head to the empty sequence.
        Sequences!Head ; "ab" => The argument of Head should be a sequence, but instead it is:|"ab"
        Sequences!Tail ; <<1, 2>> => <<2>>
        Sequences!Tail ; <<>> => Attempted to apply Tail to the empty sequence.
        Sequences!Tail ; "ab" => "b"
        Sequences!Append ; <<1>> ; 2 => <<1, 2>>
        Sequences!Append ; "a" ; "b" => Evaluating an expression of the form Append(s, v) when s is not a sequence:|"a"
        Sequences!\o ; <<1>> ; <<2, 3>> => <<1, 2, 3>>
        Sequences!\o ; "ab" ; "cd" => "abcd"
        Sequences!\o ; <<1>> ; "a" => Evaluating an expression of the form t \o s when s is not a sequence:|"a"
        Sequences!\o ; 1 ; <<1>> => Evaluating an expression of the form s \o t when s is not a sequence:|1
        Sequences!\o ; "a" ; <<1>> => Evaluating an expression of the form t \o s when s is not a string:|<<1>>
        Sequences!SubSeq ; <<1, 2, 3>> ; 2 ; 3 => <<2, 3>>
        Sequences!SubSeq ; <<1, 2, 3>> ; 3 ; 2 => <<>>
        Sequences!SubSeq ; "abcd" ; 2 ; 3 => "bc"
        Sequences!SubSeq ; <<1, 2, 3>> ; 0 ; 1 => The second argument of SubSeq must be in the domain of its first argument:|<<1, 2, 3>>|, but instead it is|0
        Sequences!SubSeq ; <<1, 2, 3>> ; 2 ; 4 => The third argument of SubSeq must be in the domain of its first argument:|<<1, 2, 3>>|, but instead it is|4
        Sequences!SubSeq ; <<1>> ; "a" ; 1 => The second argument of SubSeq should be a natural number, but instead it is:|"a"
        Sequences!SelectSeq ; <<1, 2, 3>> ; over1 => <<2, 3>>
        Sequences!SelectSeq ; <<1>> ; seven => The second argument of SelectSeq should be a operator, but instead it is:|7
        Sequences!Seq ; {1} => Seq({1})
        "#,
    );
}

#[test]
fn finite_sets_and_bags() {
    check(
        r#"
        FiniteSets!Cardinality ; {1, 1, 2} => 2
        FiniteSets!Cardinality ; Nat => Attempted to compute cardinality of the value|Nat
        FiniteSets!Cardinality ; 1 => Attempted to compute cardinality of the value|1
        FiniteSets!IsFiniteSet ; Nat => FALSE
        FiniteSets!IsFiniteSet ; <<1>> => TRUE
        FiniteSets!IsFiniteSet ; 1 => Attempted to check if the integer 1 is a finite set.
        FiniteSets!IsFiniteSet ; m => Attempted to check if the model value m is a finite set.
        Bags!SetToBag ; {1, 2} => <<1, 1>>
        Bags!(+) ; <<1, 1>> ; (2 :> 1) => <<1, 2>>
        Bags!(+) ; [a |-> 1] ; [a |-> 1, b |-> 1] => [a |-> 2, b |-> 1]
        Bags!(-) ; <<2, 1>> ; <<1>> => <<1, 1>>
        Bags!BagToSet ; [a |-> 2] => {"a"}
        Bags!BagToSet ; 1 => Applying BagToSet to the following value,|which is not a function with a finite domain:|1
        Bags!BagIn ; 1 ; <<2>> => TRUE
        Bags!CopiesIn ; 7 ; <<2>> => 0
        Bags!BagCardinality ; [a |-> 2, b |-> 3] => 5
        Bags!BagUnion ; {<<1>>, <<1, 1>>} => <<2, 1>>
        Bags!BagUnion ; 1 => Applying BagUnion to the following value,|which is not a finite enumerable set:|1
        Bags!\sqsubseteq ; <<1>> ; <<1, 1>> => TRUE
        Bags!SubBag ; <<2>> => {<<>>, <<1>>, <<2>>}
        Bags!IsABag ; <<0>> => FALSE
        Bags!IsABag ; <<1>> => TRUE
        Bags!BagOfAll ; odd ; <<1, 1, 1>> => (0 :> 1 @@ 1 :> 2)
        BagsExt!BagAdd ; <<1>> ; 2 => <<1, 1>>
        BagsExt!BagAdd ; <<1>> ; 1 => <<2>>
        BagsExt!BagRemove ; <<1>> ; 1 => <<>>
        BagsExt!BagRemove ; <<2>> ; 3 => <<2>>
        BagsExt!BagRemoveAll ; <<2, 1>> ; 1 => (2 :> 1)
        BagsExt!FoldBag ; + ; 0 ; (1 :> 2 @@ 5 :> 1) => 7
        BagsExt!SumBag ; (3 :> 2) => 6
        BagsExt!ProductBag ; (3 :> 2) => 9
        "#,
    );
}

#[test]
fn tlc_and_its_extensions() {
    check(
        r#"
        TLC!:> ; 1 ; 2 => <<2>>
        TLC!:> ; m ; 1 => (m :> 1)
        TLC!@@ ; (1 :> "a") ; (3 :> "b") => (1 :> "a" @@ 3 :> "b")
        TLC!@@ ; [a |-> 1] ; [a |-> 3, b |-> 2] => [a |-> 1, b |-> 2]
        TLC!@@ ; <<7>> ; (2 :> 8) => <<7, 8>>
        TLC!@@ ; 1 ; <<2>> => The first argument of @@ should be a function, but instead it is:|1
        TLC!Permutations ; {1, 2} => {<<1, 2>>, <<2, 1>>}
        TLC!Permutations ; {m, n} => {(m :> m @@ n :> n), (m :> n @@ n :> m)}
        TLC!Permutations ; Nat => Applying Permutations to the following value,|which is not a finite set:|Nat
        TLC!SortSeq ; <<3, 1, 2>> ; < => <<1, 2, 3>>
        TLC!SortSeq ; <<3, 1, 2>> ; > => <<3, 2, 1>>
        TLC!ToString ; <<1, 2>> => "<<1, 2>>"
        TLC!ToString ; "a" => "\"a\""
        TLC!ToString ; m => "m"
        TLC!Assert ; TRUE ; "x" => TRUE
        TLC!Assert ; FALSE ; "boo" => The first argument of Assert evaluated to FALSE; the second argument was:|"boo"
        TLC!TLCGet ; 17 => TLCGet(17) was undefined.
        TLC!TLCGet ; "nosuch" => TLCGet(nosuch) was undefined.
        TLC!TLCGet ; -1 => The argument of TLCGet should be a nonnegative integer, but instead it is:|-1
        TLC!TLCGet ; "level" => 0
        TLC!TLCSet ; "nosuch" ; 1 => The first argument of TLCSet should be a nonnegative integer, but instead it is:|"nosuch"
        TLC!RandomElement ; {1} => 1
        TLC!RandomElement ; {} => Attempted to draw an element from the empty set.
        TLC!RandomElement ; Nat => Applying RandomElement to the following value,|which is not a finite set:|Nat
        TLC!TLCEval ; SUBSET {1} => {{}, {1}}
        TLCExt!AssertError ; "Attempted to apply Head to the empty sequence." ; headOfNothing => TRUE
        TLCExt!AssertError ; "Another message" ; headOfNothing => FALSE
        TLCExt!AssertEq ; 1 ; 2 => FALSE
        TLCExt!TLCModelValue ; "m" => m
        TLCExt!TLCGetOrDefault ; 5 ; 6 => 6
        Randomization!RandomSubset ; 2 ; {1, 2} => {1, 2}
        Randomization!RandomSubset ; "a" ; {1} => The first argument of RandomSubset should be a nonnegative integer, but instead it is:|"a"
        "#,
    );
}

#[test]
fn registers_keep_their_values() {
    let mut ctx = ctx();
    assert_eq!(call_in(&mut ctx, "TLC!TLCSet ; 3 ; {2, 1}"), "TRUE");
    assert_eq!(call_in(&mut ctx, "TLC!TLCGet ; 3"), "{1, 2}");
    assert_eq!(call_in(&mut ctx, "TLCExt!TLCGetAndSet ; 4 ; pair ; 7 ; 0"), "0");
    assert_eq!(call_in(&mut ctx, "TLC!TLCGet ; 4"), "<<0, 7>>");
    assert_eq!(call_in(&mut ctx, "TLC!TLCSet ; \"exit\" ; TRUE"), "TRUE");
    assert!(ctx.exit_requested);
    assert_eq!(call_in(&mut ctx, "TLC!Print ; \"out\" ; 5"), "5");
    assert_eq!(ctx.output.last().unwrap().text, "\"out\"  5");
}

#[test]
fn json_goes_out_and_comes_back() {
    check(
        r#"
        Json!ToJson ; [a |-> 1, b |-> <<1, "x">>] => "{\"a\":1,\"b\":[1,\"x\"]}"
        Json!ToJson ; {2, 1} => "[1,2]"
        Json!ToJson ; (1 :> "x" @@ 3 :> "y") => "{\"1\":\"x\",\"3\":\"y\"}"
        Json!ToJson ; (<<1, 2>> :> {m}) => "{\"<<1, 2>>\":[\"m\"]}"
        Json!ToJson ; <<>> => "[]"
        Json!ToJson ; TRUE => "true"
        Json!ToJson ; m => "\"m\""
        Json!ToJsonArray ; {1} => "[1]"
        Json!ToJsonObject ; <<1, 2>> => "{\"0\":1,\"1\":2}"
        "#,
    );
    let mut ctx = ctx();
    let value = from_json(&mut ctx, r#"{"a": [1, -2, {"b": "x\n"}], "c": true}"#).unwrap();
    assert_eq!(to_text(&mut ctx, &value), r#"[a |-> <<1, -2, [b |-> "x\n"]>>, c |-> TRUE]"#);
    assert!(from_json(&mut ctx, "{").is_err());
    assert!(from_json(&mut ctx, "3000000000").is_err());
}

#[test]
fn folds_go_from_the_outside_in() {
    check(
        r#"
        Folds!MapThenFoldSet ; pair ; 0 ; square ; max ; {1, 2, 3} => <<9, <<4, <<1, 0>>>>>>
        FiniteSetsExt!FoldSet ; pair ; 0 ; {1, 2, 3} => <<1, <<2, <<3, 0>>>>>>
        FiniteSetsExt!ReduceSet ; pair ; {1, 2} ; 0 => <<1, <<2, 0>>>>
        Functions!FoldFunction ; pair ; 0 ; [a |-> 1, b |-> 2] => <<1, <<2, 0>>>>
        Functions!FoldFunctionOnSet ; pair ; 0 ; <<5, 6, 7>> ; {1, 3} => <<5, <<7, 0>>>>
        SequencesExt!FoldSeq ; pair ; 0 ; <<1, 2, 3>> => <<1, <<2, <<3, 0>>>>>>
        SequencesExt!FoldLeft ; pair ; 0 ; <<1, 2, 3>> => <<<<<<0, 1>>, 2>>, 3>>
        SequencesExt!FoldRight ; pair ; <<1, 2, 3>> ; 0 => <<1, <<2, <<3, 0>>>>>>
        SequencesExt!FoldLeft ; pair ; 0 ; (3 :> 1 @@ 5 :> 2) => <<<<0, 1>>, 2>>
        SequencesExt!FoldLeftDomain ; pair ; 0 ; <<"a", "b">> => <<<<0, 1>>, 2>>
        "#,
    );
}

#[test]
fn functions_and_finite_sets_ext() {
    check(
        r#"
        Functions!Range ; <<1, 1, 2>> => {1, 2}
        Functions!Restrict ; <<1, 2, 3>> ; {1, 3} => (1 :> 1 @@ 3 :> 3)
        Functions!RestrictDomain ; <<1, 2, 3>> ; over1 => (2 :> 2 @@ 3 :> 3)
        Functions!RestrictValues ; [a |-> 1, b |-> 2] ; over1 => [b |-> 2]
        Functions!IsInjective ; <<1, 1>> => FALSE
        Functions!IsInjective ; <<1, 2>> => TRUE
        Functions!Pointwise ; <<1, 2>> ; <<3, 4>> ; + => <<4, 6>>
        Functions!SumFunction ; <<4, 5, 6>> => 15
        Functions!SumFunctionOnSet ; <<4, 5, 6>> ; {1, 2} => 9
        FiniteSetsExt!SumSet ; {1, 2, 3} => 6
        FiniteSetsExt!ProductSet ; {2, 3} => 6
        FiniteSetsExt!MapThenSumSet ; square ; {1, 2, 3} => 14
        FiniteSetsExt!FlattenSet ; {{1}, {2}} => {1, 2}
        FiniteSetsExt!SymDiff ; {1, 2} ; {2, 3} => {1, 3}
        FiniteSetsExt!Quantify ; {1, 2, 3} ; over1 => 2
        FiniteSetsExt!kSubset ; 2 ; {1, 2, 3} => {{1, 2}, {1, 3}, {2, 3}}
        FiniteSetsExt!kSubset ; 0 ; {1} => {{}}
        FiniteSetsExt!kSubset ; 5 ; {1} => {}
        FiniteSetsExt!Max ; {1, 3, 2} => 3
        FiniteSetsExt!Min ; {2, 1} => 1
        FiniteSetsExt!Max ; {} => Attempted to compute the value of an expression of form|CHOOSE x \in S: P, but no element of S satisfied P.
        Bitwise!& ; 12 ; 10 => 8
        Bitwise!| ; 12 ; 10 => 14
        Bitwise!^^ ; 12 ; 10 => 6
        Bitwise!Not ; 5 => 2
        Bitwise!Not ; 0 => 0
        Bitwise!shiftR ; 13 ; 2 => 3
        Bitwise!shiftR ; 1 ; 40 => 0
        "#,
    );
}

#[test]
fn sequences_ext() {
    check(
        r#"
        SequencesExt!ToSet ; <<1, 2, 1>> => {1, 2}
        SequencesExt!ToBag ; <<"a", "b", "a">> => [a |-> 2, b |-> 1]
        SequencesExt!SetToSeq ; {3, 1, 2} => <<1, 2, 3>>
        SequencesExt!SetToSeqs ; {1, 2, 3} => {<<1, 2, 3>>, <<1, 3, 2>>, <<2, 1, 3>>, <<2, 3, 1>>, <<3, 1, 2>>, <<3, 2, 1>>}
        SequencesExt!SetToSortSeq ; {1, 2, 3} ; > => <<3, 2, 1>>
        SequencesExt!Contains ; <<1, 2>> ; 2 => TRUE
        SequencesExt!Reverse ; <<1, 2, 3>> => <<3, 2, 1>>
        SequencesExt!Remove ; <<1, 2, 1>> ; 1 => <<2>>
        SequencesExt!ReplaceAll ; <<1, 2, 1>> ; 1 ; 9 => <<9, 2, 9>>
        SequencesExt!SelectInSeq ; <<1, 2, 3, 2>> ; is2 => 2
        SequencesExt!SelectLastInSeq ; <<1, 2, 3, 2>> ; is2 => 4
        SequencesExt!SelectInSubSeq ; <<1, 2, 3, 2>> ; 3 ; 4 ; is2 => 2
        SequencesExt!SelectInSeq ; <<1>> ; is2 => 0
        SequencesExt!InsertAt ; <<1, 2>> ; 2 ; 9 => <<1, 9, 2>>
        SequencesExt!InsertAt ; <<1, 2>> ; 3 ; 9 => <<1, 2, 9>>
        SequencesExt!RemoveAt ; <<1, 2>> ; 1 => <<2>>
        SequencesExt!RemoveAt ; <<1>> ; 2 => <<1>>
        SequencesExt!RemoveFirst ; <<1, 2, 1>> ; 1 => <<2, 1>>
        SequencesExt!RemoveFirstMatch ; <<1, 2, 3>> ; over1 => <<1, 3>>
        SequencesExt!Cons ; 0 ; <<1>> => <<0, 1>>
        SequencesExt!IsPrefix ; <<1>> ; <<1, 2>> => TRUE
        SequencesExt!IsStrictPrefix ; <<1>> ; <<1>> => FALSE
        SequencesExt!IsSuffix ; <<2>> ; <<1, 2>> => TRUE
        SequencesExt!IsStrictSuffix ; <<2>> ; <<2>> => FALSE
        SequencesExt!LongestCommonPrefix ; {<<1, 2>>, <<1, 3>>} => <<1>>
        SequencesExt!FlattenSeq ; <<<<1>>, <<2, 3>>, <<>>>> => <<1, 2, 3>>
        SequencesExt!FlattenSeq ; <<"a", "b">> => "ab"
        SequencesExt!Zip ; <<1, 2>> ; <<"a", "b", "c">> => <<<<1, "a">>, <<2, "b">>>>
        SequencesExt!SubSeqs ; <<1, 2>> => {<<>>, <<1>>, <<2>>, <<1, 2>>}
        SequencesExt!ReplaceSubSeqAt ; 2 ; <<9, 9>> ; <<2>> ; <<1, 2, 3>> => <<1, 9, 9, 3>>
        SequencesExt!ReplaceFirstSubSeq ; <<9>> ; <<2>> ; <<1, 2, 2>> => <<1, 9, 2>>
        SequencesExt!ReplaceFirstSubSeq ; <<9>> ; <<>> ; <<1, 2>> => <<9, 1, 2>>
        SequencesExt!ReplaceFirstSubSeq ; <<9>> ; <<>> ; <<>> => <<9>>
        SequencesExt!ReplaceFirstSubSeq ; "xy" ; "%" ; "a%b%" => "axyb%"
        SequencesExt!ReplaceAllSubSeqs ; <<9>> ; <<2>> ; <<1, 2, 2>> => <<1, 9, 9>>
        SequencesExt!ReplaceAllSubSeqs ; <<9>> ; <<>> ; <<1, 2>> => <<9, 1, 9, 2>>
        SequencesExt!ReplaceAllSubSeqs ; <<9>> ; <<2, 2>> ; <<2, 2, 2, 2, 2>> => <<9, 9, 2>>
        "#,
    );
}

#[test]
fn graphs_and_relations() {
    check(
        r#"
        Graphs!AreConnectedIn ; 1 ; 3 ; [node |-> {1, 2, 3}, edge |-> {<<1, 2>>, <<2, 3>>}] => TRUE
        Graphs!AreConnectedIn ; 3 ; 1 ; [node |-> {1, 2, 3}, edge |-> {<<1, 2>>, <<2, 3>>}] => FALSE
        Graphs!IsStronglyConnected ; [node |-> {1, 2}, edge |-> {<<1, 2>>, <<2, 1>>}] => TRUE
        Graphs!SimplePath ; [node |-> {1, 2}, edge |-> {<<1, 2>>}] => {<<1>>, <<2>>, <<1, 2>>}
        UndirectedGraphs!ConnectedComponents ; [node |-> {1, 2, 3}, edge |-> {{1, 2}}] => {{3}, {1, 2}}
        UndirectedGraphs!AreConnectedIn ; 2 ; 1 ; [node |-> {1, 2, 3}, edge |-> {{1, 2}}] => TRUE
        Relation!TransitiveClosure ; (<<1, 1>> :> FALSE @@ <<1, 2>> :> TRUE @@ <<2, 1>> :> TRUE @@ <<2, 2>> :> FALSE) ; {1, 2} => (<<1, 1>> :> TRUE @@ <<1, 2>> :> TRUE @@ <<2, 1>> :> TRUE @@ <<2, 2>> :> TRUE)
        IOUtils!atoi ; "-17" => -17
        IOUtils!zeroPadN ; 42 ; 5 => "00042"
        IOUtils!zeroPadN ; 1234 ; 2 => "1234"
        Statistics!ChiSquare ; <<10, 10>> ; <<10, 10>> ; "0.05" => TRUE
        Statistics!ChiSquare ; <<10, 10>> ; <<1, 19>> ; "0.05" => FALSE
        SVG!SVGElemToString ; [name |-> "g", attrs |-> [x |-> "1"], children |-> <<>>, innerText |-> "t"] => "<g x='1'>t</g>"
        "#,
    );
}

#[test]
fn files_need_a_host() {
    check(
        r#"
        IOUtils!IOEnv => Files and processes are not available where this is evaluated.
        CSV!CSVRecords ; "f" => Files and processes are not available where this is evaluated.
        Json!JsonDeserialize ; "f" => Files and processes are not available where this is evaluated.
        "#,
    );
}
