//! The community's modules: every operator is there, and means what it says.

use std::path::PathBuf;

use crate::run::Folder;

/// A module of assumptions that all must hold.
fn assume(extends: &str, assumptions: &[&str]) {
    let mut text = format!("---- MODULE A ----\nEXTENDS Naturals, Sequences, TLC, {extends}\n");
    for it in assumptions {
        text += &format!("ASSUME {it}\n");
    }
    text += "====\n";
    let folder = Folder::new(&[("A.tla", &text), ("A.cfg", "")]);
    let ran = folder.run(&["tlc", "A"]);
    assert_eq!(ran.status, 0, "{extends}\n{}", ran.out);
}

#[test]
fn values_of_operators() {
    assume(
        "Combinatorics",
        &["choose(5, 2) = 10", "choose(0, 1) = 0", "choose(63, 1) = 63", "factorial[5] = 120"],
    );
    assume(
        "Graphs",
        &[
            "SimplePath([node |-> {1, 2}, edge |-> {<<1>>, <<1, 2>>, <<1, 2, 3>>}]) \
             = {<<1>>, <<2>>, <<1, 2>>}",
            "~AreConnectedIn(1, 2, [node |-> {1, 2}, edge |-> {<<1, 2, 1>>}])",
        ],
    );
    assume(
        "SVG",
        &[
            "NodeOfRingNetwork(10, 10, 6, 1, 3) = [x |-> 7, y |-> 15]",
            "NodeOfRingNetwork(10, 10, 6, 2, 3) = [x |-> 6, y |-> 4]",
            "SVGElemToString(Text(0, 0, \"<&>\", <<>>)) = \"<text x='0' y='0'>&lt;&amp;&gt;</text>\"",
        ],
    );
    assume(
        "SequencesExt",
        &[
            "LongestCommonPrefix({\"abc\", \"abd\"}) = \"ab\"",
            "LongestCommonPrefix({<<1, 2>>, <<1, 3>>}) = <<1>>",
            "LongestCommonPrefix({\"\", \"a\"}) = \"\"",
            "FoldLeft(LAMBDA x, y : x + y, 0, <<1, 2, 3>>) = 6",
            "Interleave(<<1, 3>>, <<2, 4>>) = <<<<1>>, <<2>>, <<3>>, <<4>>>>",
        ],
    );
    assume(
        "FiniteSetsExt",
        &["SumSet({1, 2, 3}) = 6", "kSubset(2, 1..3) = {{1, 2}, {1, 3}, {2, 3}}"],
    );
    assume("Functions", &["Range([i \\in 1..3 |-> i % 2]) = {0, 1}", "IsInjective(<<1, 2>>)"]);
    assume("Bitwise", &["(6 & 3) = 2", "(6 | 3) = 7", "shiftR(8, 2) = 2"]);
    assume("BagsExt, Bags", &["SumBag((1 :> 2) @@ (2 :> 1)) = 4"]);
    assume(
        "Folds",
        &[
            "MapThenFoldSet(LAMBDA x, y : x + y, 0, LAMBDA x : x, LAMBDA s : CHOOSE x \\in s : TRUE, {1, 2}) = 3",
        ],
    );
    assume("Relation", &["IsReflexive([p \\in {<<1, 1>>} |-> TRUE], {1})"]);
    assume(
        "VectorClocks",
        &["CausalOrder(<<>>, LAMBDA l : l.vc, LAMBDA l : l.node, LAMBDA vc : DOMAIN vc) = <<>>"],
    );
    assume(
        "CSV, IOUtils",
        &[
            "CSVWrite(\"%1$s#%2$s\", <<42, \"abc\">>, \"rows.csv\")",
            "CSVRecords(\"rows.csv\") = 1",
            "CSVRead(<<\"a\", \"b\">>, \"#\", \"rows.csv\")[1] = [a |-> \"42\", b |-> \"\\\"abc\\\"\"]",
            "CSVRecords(\"absent.csv\") = 0",
        ],
    );
    assume("Json", &["ToJson([a |-> {1, 2}]) = \"{\\\"a\\\":[1,2]}\""]);
    assume(
        "TLCExt",
        &[
            "TLCDefer(TRUE)",
            "TLCNoOp(7) = 7",
            "AssertEq(1, 1)",
            "TLCGetOrDefault(9, 3) = 3",
            "TLCCache(1 + 1, {}) = 2",
        ],
    );
    assume("Variants", &["VariantTag(Variant(\"A\", 1)) = \"A\""]);
}

#[test]
fn stubs_for_other_tools() {
    let text = "---- MODULE A ----\nEXTENDS Naturals, TLAPS, Apalache, Toolbox\nVARIABLE\n  \
                \\* @type: Int;\n  x\nInit == x := 0\nNext == x' := (x + 1) % 3\n\
                Inv == ApaFoldSet(LAMBDA a, b: a + b, 0, {1, 2}) = 3\n\
                THEOREM Init => Inv BY SMT, Z3, Isa DEF Init\n====\n";
    let folder = Folder::new(&[("A.tla", text), ("A.cfg", "INIT Init NEXT Next INVARIANT Inv")]);
    let ran = folder.run(&["check", "A.tla"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert!(ran.out.contains("3 distinct"), "{}", ran.out);
}

/// Heads of definitions at the start of a line: name, parameters.
fn heads(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for line in text.lines() {
        let Some((head, _)) = line.split_once("==") else { continue };
        let head = head.trim_end();
        let name: String =
            head.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
        let rest = head[name.len()..].trim();
        let is_head = name.starts_with(|it: char| it.is_alphabetic() || it == '_')
            && (rest.is_empty() || rest.starts_with('(') && rest.ends_with(')'));
        if is_head && !["LOCAL", "LET", "ASSUME", "THEOREM", "IN", "LEMMA"].contains(&name.as_str())
        {
            out.push((name, rest.to_owned()));
        }
    }
    out
}

/// Each definition of each module of the community is in the module that is built in, with as many
/// parameters.
#[test]
#[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
fn every_operator_is_built_in() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("LOCKSTEP_CORPUS").map_or(beside, PathBuf::from);
    let Ok(files) = std::fs::read_dir(root.join("community")) else {
        eprintln!("skipped: no corpus (set LOCKSTEP_CORPUS)");
        return;
    };
    let mut names: Vec<PathBuf> = files.flatten().map(|it| it.path()).collect();
    names.sort();
    let (mut modules, mut operators) = (0, 0);
    for path in names {
        let name = path.file_stem().and_then(|it| it.to_str()).unwrap_or("").to_owned();
        let is_module = path.extension().is_some_and(|it| it == "tla");
        // Theorems and what they are stated with belong to the proof system.
        let is_of_proofs = ["Theorem", "_proofs", "Induction"].iter().any(|it| name.contains(it));
        if !is_module || is_of_proofs {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a module");
        let mut module = format!("---- MODULE A ----\nM == INSTANCE {name}\n");
        let mut parameters = text.lines().filter(|it| it.starts_with("CONSTANT"));
        if parameters.next().is_some() {
            continue;
        }
        // What stands behind the module's end is no part of it.
        let heads = heads(text.split("\n====").next().unwrap_or(""));
        for (idx, (operator, params)) in heads.iter().enumerate() {
            let names = params.replace("(_)", "").replace("(_,_)", "").replace("(_, _)", "");
            module += &format!("T{idx}{params} == M!{operator}{names}\n");
        }
        module += "====\n";
        let folder = Folder::new(&[("A.tla", &module)]);
        let ran = folder.run(&["parse", "A.tla"]);
        assert_eq!(ran.status, 0, "{name}\n{module}\n{}", ran.text());
        modules += 1;
        operators += heads.len();
    }
    assert!(modules >= 20 && operators >= 150, "only {operators} operators of {modules} modules");
}
