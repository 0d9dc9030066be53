//! Counts of evaluations: what `-coverage` says of our own specification, and of the corpus.

use std::collections::BTreeSet;
use std::path::PathBuf;

use expect_test::expect;

use crate::run::Folder;

const MODULE: &str = "\
---- MODULE Cost ----
EXTENDS Naturals
VARIABLES x, f
N == {1, 2}
Init == x \\in 0..4 /\\ f = 0
Sub(k) == x = k /\\ x' = k /\\ f' = f
A == x < 3 /\\ (x' = 1 \\/ x' = 2) /\\ f' = f
B == Sub(x) /\\ x < 2
C == x = 42 /\\ x' = 1 /\\ UNCHANGED f
D == \\E i \\in {j \\in 0..3 : j > 2} : x' = i /\\ f' = f
E == x = 1 /\\ x' \\in N /\\ UNCHANGED f
Next == A \\/ B \\/ C \\/ D \\/ E
Inv == \\A s \\in SUBSET (1..3) : (IF x >= 0 THEN TRUE ELSE f > 0)
Small == x < 9
RECURSIVE sum(_)
sum(n) == IF n = 0 THEN 0 ELSE n + sum(n - 1)
Sums == LET half == x \\div 2 IN sum(3) + half > 0
====
";

const MODEL: &str = "INIT Init NEXT Next INVARIANT Inv Sums CONSTRAINT Small";

/// The lines of the statistics, places shortened.
fn lines(text: &str) -> Vec<String> {
    let from = text.find("The coverage statistics").expect("statistics");
    let to = text.find("End of statistics").expect("their end");
    text[from..to]
        .lines()
        .skip(1)
        .filter(|it| !it.is_empty() && !it.starts_with("@!@!@"))
        .map(|it| {
            let it = it.replace(" of module Cost", "").replace("line ", "");
            it.replace(", col ", ":").replace(" to ", "-")
        })
        .collect()
}

#[test]
fn expressions_are_counted_as_tlc_counts_them() {
    // Compared with TLC's own output when it was recorded.
    let folder = Folder::new(&[("Cost.tla", MODULE), ("Cost.cfg", MODEL)]);
    let ran = folder.run(&["tlc", "-noTE", "-deadlock", "-coverage", "1", "Cost"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    let text = lines(&ran.out).join("\n") + "\n";
    expect![[r#"
        <f 3:14-3:14>: 0
        <x 3:11-3:11>: 0
        <Init 5:1-5:4>: 5:5
          5:9-5:18: 1
          5:23-5:27: 5
        <A 7:1-7:1>: 0:6
          7:6-7:10: 3
          |7:6-7:6: 5
          7:16-7:31: 3
          7:37-7:42: 6
        <B 8:1-8:1>: 0:2
          6:11-6:15: 7
          |6:11-6:11: 5
          |6:15-6:15: 5
          6:20-6:25: 2
          |6:25-6:25: 5
          6:30-6:35: 2
          |6:35-6:35: 5
          8:10-8:10: 5
          8:16-8:20: 5
        <C 9:1-9:1>: 0:0
          9:6-9:11: 5
          9:16-9:21: 0
          9:26-9:36: 0
        <D 10:1-10:1 (10 38 10 53)>: 0:5
          10:38-10:53: 5
        <E 11:1-11:1>: 0:2
          11:6-11:10: 6
          |11:6-11:6: 5
          11:15-11:22: 2
          |11:22-11:22: 1
          11:27-11:37: 2
        <Inv 13:1-13:3>
          13:8-13:64: 5
          |13:34-13:63: 40
          |13:17-13:29: 5
        <Sums 17:1-17:4>
          17:21-17:28: 5
          17:33-17:49: 5
          |17:33-17:45: 5
          ||17:33-17:38: 5
          |||16:11-16:45: 20
          ||||16:14-16:18: 20
          ||||16:32-16:45: 15
          ||17:42-17:45: 5
        <Small 14:1-14:5>: 20:20
          14:10-14:14: 20
    "#]]
    .assert_eq(&text);
}

#[test]
fn workers_change_no_count() {
    let folder = Folder::new(&[("Cost.tla", MODULE), ("Cost.cfg", MODEL)]);
    let run = |workers: &str| {
        let words =
            ["tlc", "-noTE", "-deadlock", "-workers", workers, "-coverage", "1", "-tool", "Cost"];
        lines(&folder.run(&words).out)
    };
    let one = run("1");
    assert!(one.len() > 20);
    assert_eq!(one, run("4"));
}

#[test]
fn what_costs_nothing_is_told_without_asking() {
    let folder = Folder::new(&[
        ("Cost.tla", MODULE),
        ("Cost.cfg", &MODEL.replace("CONSTRAINT Small", "CONSTRAINT Sparse")),
    ]);
    let module = MODULE.replace("====\n", "Sparse == x # 3\n====\n");
    std::fs::write(folder.path().join("Cost.tla"), module).expect("a module");
    let ran = folder.run(&["check", "Cost.tla", "--no-deadlock"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert!(ran.out.contains("note: constraint Sparse kept out 5 states and steps"), "{}", ran.out);
    assert!(ran.out.contains("note: action C was never taken (Cost.tla:9:6)"), "{}", ran.out);
    assert!(!ran.out.contains("action A was never"), "{}", ran.out);
    let ran = folder.run(&["check", "Cost.tla", "--no-deadlock", "--format", "json"]);
    assert!(ran.out.contains("\"never_taken\":[{\"name\":\"C\""), "{}", ran.out);
    assert!(ran.out.contains("\"levels\":[4]"), "{}", ran.out);
}

#[test]
fn a_page_of_the_sources() {
    let folder = Folder::new(&[("Cost.tla", MODULE), ("Cost.cfg", MODEL)]);
    let ran = folder.run(&["check", "--no-deadlock", "--coverage", "html", "Cost.tla"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    let page = std::fs::read_to_string(folder.path().join("Cost.coverage.html")).expect("a page");
    assert!(page.contains("<h2>Cost</h2>"));
    // The assignment that is never reached, and the branch that is never taken.
    let never = "<span class=\"never\" title=\"never evaluated\">";
    assert!(page.contains(&format!("{never}x' = 1</span>")), "{page}");
    assert!(page.contains(&format!("{never}f &gt; 0</span>")), "{page}");
}

/// The cases of TLC's own tests that say what coverage must be.
#[test]
#[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
fn counts_asserted_by_tlcs_tests() {
    let Some(suite) = corpus() else {
        eprintln!("skipped: no corpus (set LOCKSTEP_CORPUS)");
        return;
    };
    let text = std::fs::read_to_string(suite.join("expected.jsonl")).expect("expectations");
    // Functions of a LET, the function as an action, and a recursive initial predicate: TLC evaluates
    // functions when they are applied, we when they are made.
    let differs =
        BTreeSet::from(["cov-Github377Coverage", "cov-Github649Coverage", "cov-ICoverage"]);
    let mut compared = 0;
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let id = case["id"].as_str().expect("an id");
        let wanted = case["asserted"]["uncovered"].as_str();
        let Some(wanted) = wanted.filter(|_| id.starts_with("cov-") && !differs.contains(id))
        else {
            continue;
        };
        let folder = suite.join("cases").join(id);
        let module = std::fs::read_dir(&folder)
            .expect("a case")
            .filter_map(|it| it.ok()?.path().file_stem()?.to_str().map(str::to_owned))
            .find(|it| folder.join(format!("{it}.cfg")).exists())
            .expect("a model");
        let scratch = Folder::new(&[]);
        let path = folder.join(&module);
        let words = ["tlc", "-noTE", "-deadlock", "-metadir", ".", "-coverage", "1"];
        let mut command = scratch.command(&words);
        let output = command.arg(&path).output().expect("the binary runs");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let from = out.find("The coverage statistics").unwrap_or_else(|| panic!("{id}: {out}"));
        let to = out.find("End of statistics").expect("their end");
        let got: Vec<&str> = out[from..to]
            .lines()
            .skip(1)
            .filter(|it| !it.is_empty())
            .filter(|it| {
                // A variable has one number, an action two.
                !(it.starts_with('<')
                    && it.rsplit_once(">: ").is_some_and(|(_, counts)| !counts.contains(':')))
            })
            .collect();
        let wanted: Vec<&str> = wanted.lines().filter(|it| !it.trim().is_empty()).collect();
        assert_eq!(got, wanted, "{id}");
        compared += 1;
    }
    assert!(compared >= 6, "only {compared} cases were compared");
}

fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("LOCKSTEP_CORPUS").map_or(beside, PathBuf::from);
    let suite = root.join("tlc-tests");
    suite.is_dir().then_some(suite)
}
