//! `lockstep check`: verdicts, statuses, reports.

use expect_test::expect;

use crate::run::Folder;

/// A lock that two processes take; `Broken` forgets to look whether it is free.
const LOCK: &str = "\
---- MODULE Lock ----
EXTENDS Naturals, FiniteSets, TLC
CONSTANT Proc
VARIABLES pc, turns
vars == <<pc, turns>>
Init == pc = [p \\in Proc |-> \"idle\"] /\\ turns = 0
Free == \\A p \\in Proc : pc[p] = \"idle\"
Enter(p) == /\\ Free
            /\\ pc' = [pc EXCEPT ![p] = \"in\"]
            /\\ turns' = (turns + 1) % 3
Sneak(p) == /\\ pc[p] = \"idle\"
            /\\ pc' = [pc EXCEPT ![p] = \"in\"]
            /\\ UNCHANGED turns
Leave(p) == /\\ pc[p] = \"in\"
            /\\ pc' = [pc EXCEPT ![p] = \"idle\"]
            /\\ UNCHANGED turns
Next == \\E p \\in Proc : Enter(p) \\/ Leave(p)
Broken == \\E p \\in Proc : Enter(p) \\/ Sneak(p) \\/ Leave(p)
Once == turns < 2 /\\ \\E p \\in Proc : Enter(p) \\/ Leave(p)
Spec == Init /\\ [][Next]_vars
Fair == Spec /\\ \\A p \\in Proc : WF_vars(Enter(p)) /\\ WF_vars(Leave(p))
Mutex == Cardinality({p \\in Proc : pc[p] = \"in\"}) <= 1
Bad == turns + pc[\"nobody\"] > 0
Small == turns < 2
Counts == [][turns' >= turns]_turns
Often == []<>(turns = 2)
Never == <>(turns = 7)
Talk == PrintT(turns) /\\ TRUE
====
";

fn folder(models: &[(&str, &str)]) -> Folder {
    let mut files = vec![("Lock.tla", LOCK)];
    files.extend(models);
    Folder::new(&files)
}

fn model(text: &str) -> String {
    format!("CONSTANT Proc = {{p1, p2}}\n{text}\n")
}

#[track_caller]
fn status(text: &str, words: &[&str]) -> i32 {
    let folder = folder(&[("Lock.cfg", &model(text))]);
    let mut all = vec!["check", "Lock.tla"];
    all.extend(words);
    folder.run(&all).status
}

#[test]
fn exit_statuses() {
    assert_eq!(status("SPECIFICATION Spec INVARIANT Mutex", &[]), 0);
    assert_eq!(status("INIT Init NEXT Broken INVARIANT Mutex", &[]), 12);
    assert_eq!(status("SPECIFICATION Spec PROPERTY Counts", &[]), 13);
    assert_eq!(status("SPECIFICATION Spec PROPERTY Often", &[]), 13);
    assert_eq!(status("SPECIFICATION Fair PROPERTY Often", &[]), 0);
    assert_eq!(status("SPECIFICATION Spec PROPERTY Often", &["--ignore-liveness"]), 0);
    assert_eq!(status("INIT Init NEXT Once", &[]), 11);
    assert_eq!(status("INIT Init NEXT Once", &["--no-deadlock"]), 0);
    assert_eq!(status("INIT Init NEXT Once CHECK_DEADLOCK FALSE", &[]), 0);
    assert_eq!(status("INIT Init NEXT Once CHECK_DEADLOCK FALSE", &["--deadlock"]), 11);
    assert_eq!(status("SPECIFICATION Spec INVARIANT Bad", &[]), 75);
    assert_eq!(status("SPECIFICATION Spec INVARIANT Absent", &[]), 151);
    assert_eq!(status("SPECIFICATION Spec INVARIANT Mutex", &["--invariant", "turns < 2"]), 12);
    assert_eq!(status("SPECIFICATION Spec", &["--max-states", "2"]), 152);
}

#[test]
fn a_violation_for_people() {
    let folder = folder(&[("Lock.cfg", &model("INIT Init NEXT Broken INVARIANT Mutex"))]);
    expect![[r#"
        exit 12
        --- out
        Lock: invariant Mutex is violated
          --> Lock.tla:22:10
           |
        22 | Mutex == Cardinality({p \in Proc : pc[p] = "in"}) <= 1
           |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is FALSE

        Behavior of 3 states (* marks what a step changed):

          1  Initial state
               pc    = (p1 :> "idle" @@ p2 :> "idle")
               turns = 0
          2  Enter(p1)  Lock.tla:8:13
             * pc    = (p1 :> "in" @@ p2 :> "idle")
             * turns = 1
          3  Sneak(p2)  Lock.tla:11:13
             * pc    = (p1 :> "in" @@ p2 :> "in")
               turns = 1

        7 states generated, 7 distinct, 4 left, depth 3 (2 workers, TIME s)
    "#]]
    .assert_eq(&folder.run(&["check", "Lock", "--workers", "2"]).text());
}

#[test]
fn a_violation_for_programs() {
    let folder = folder(&[("Lock.cfg", &model("INIT Init NEXT Broken INVARIANT Mutex"))]);
    expect![[r#"
        exit 12
        --- out
        {"schema":"lockstep.check/1","spec":"Lock","verdict":"invariant","property":"Mutex","exit":12,"generated":7,"distinct":7,"queue":4,"depth":3,"workers":1,"seconds":TIME,"trace":[{"n":1,"action":"Init","state":{"pc":{"p1":"idle","p2":"idle"},"turns":0}},{"n":2,"action":"Enter(p1)","location":{"module":"Lock","file":"Lock.tla","line":8,"col":13,"end_line":10,"end_col":39},"state":{"pc":{"p1":"in","p2":"idle"},"turns":1}},{"n":3,"action":"Sneak(p2)","location":{"module":"Lock","file":"Lock.tla","line":11,"col":13,"end_line":13,"end_col":30},"state":{"pc":{"p1":"in","p2":"in"},"turns":1}}],"diagnostics":[],"initial":1,"lasso":null,"message":null,"location":{"module":"Lock","file":"Lock.tla","line":22,"col":1,"end_line":22,"end_col":5},"stack":[],"levels":[1,4,2]}
    "#]].assert_eq(&folder.run(&["check", "Lock.tla", "--format", "json", "-w1"]).text());
}

#[test]
fn an_error_has_its_place_values_and_chain() {
    let folder = folder(&[("Lock.cfg", &model("SPECIFICATION Spec INVARIANT Bad"))]);
    expect![[r#"
        exit 75
        --- out
        Lock: Bad has no value
        error[E2136]: Attempted to apply function:
                      (p1 :> "idle" @@ p2 :> "idle")
                      to argument "nobody", which is not in the domain of the function.
          --> Lock.tla:23:16
           |
        23 | Bad == turns + pc["nobody"] > 0
           |                ^^^^^^^^^^^^
           |
           = help: ask before whether it is there: x \in DOMAIN f /\ …
          in Bad, at Lock.tla:23:1

        Behavior of 1 state (* marks what a step changed):

          1  Initial state
               pc    = (p1 :> "idle" @@ p2 :> "idle")
               turns = 0

        1 state generated, 1 distinct, depth 1 (1 worker, TIME s)
    "#]]
    .assert_eq(&folder.run(&["check", "Lock.tla", "-w1"]).text());
}

#[test]
fn ignored_properties_are_said_to_be() {
    let folder = folder(&[("Lock.cfg", &model("SPECIFICATION Spec PROPERTY Never"))]);
    let ran = folder.run(&["check", "Lock.tla", "--ignore-liveness", "--format", "json"]);
    assert_eq!(ran.status, 0);
    assert!(
        ran.out.contains("\"notes\":[\"temporal properties were not checked: Never\"]"),
        "{}",
        ran.out
    );
}

#[test]
fn a_lasso_has_its_way_back() {
    let folder = folder(&[("Lock.cfg", &model("SPECIFICATION Fair PROPERTY Never"))]);
    let ran = folder.run(&["check", "Lock.tla", "-w1"]);
    assert_eq!(ran.status, 13, "{}", ran.text());
    assert!(ran.out.contains("temporal property Never is violated"), "{}", ran.out);
    assert!(ran.out.contains("and back to state"), "{}", ran.out);
}

#[test]
fn the_number_of_workers_does_not_show() {
    for text in [
        "SPECIFICATION Spec INVARIANT Mutex",
        "INIT Init NEXT Broken INVARIANT Mutex",
        "SPECIFICATION Fair PROPERTY Never",
        "INIT Init NEXT Once",
        "SPECIFICATION Spec INVARIANT Talk",
    ] {
        let folder = folder(&[("Lock.cfg", &model(text))]);
        let run = |n: &str| {
            let ran = folder.run(&["check", "Lock.tla", "--format", "json", "--workers", n]);
            ran.text().replace(&format!("\"workers\":{n}"), "\"workers\":N")
        };
        let one = run("1");
        for n in ["2", "4", "8"] {
            assert_eq!(one, run(n), "{text} with {n} workers");
        }
    }
}

#[test]
fn print_goes_to_standard_output_before_the_summary() {
    let folder = folder(&[("Lock.cfg", &model("SPECIFICATION Spec INVARIANT Talk"))]);
    let ran = folder.run(&["check", "Lock.tla", "--format", "json"]);
    assert!(ran.out.starts_with("0\n"), "{}", ran.out);
    let last = ran.out.lines().last().unwrap_or("");
    assert!(last.starts_with("{\"schema\":\"lockstep.check/1\""), "{last}");
}

#[test]
fn reports_are_written_beside_the_output() {
    let folder = folder(&[("Lock.cfg", &model("INIT Init NEXT Broken INVARIANT Mutex"))]);
    let mut words = vec!["check", "Lock.tla"];
    let files = ["html=a.html", "itf=a.itf.json", "tla=Again.tla", "junit=a.xml", "sarif=a.sarif"];
    for it in &files {
        words.extend(["--report", it]);
    }
    let ran = folder.run(&words);
    assert_eq!(ran.status, 12, "{}", ran.text());
    for it in files {
        let name = it.split('=').nth(1).unwrap_or("");
        assert!(folder.path().join(name).is_file(), "{it}");
    }
    // The trace module replays the behaviour to the same violation.
    let again = folder.run(&["check", "Again.tla", "--config", "Again.tla", "--format", "json"]);
    assert_eq!(again.status, 12, "{}", again.text());
    assert!(again.out.contains("\"property\":\"_inv\""), "{}", again.out);
    let ran = folder.run(&["check", "Lock.tla", "--report", "pdf=a.pdf"]);
    assert_eq!(ran.status, 12);
    assert!(ran.err.contains("there is no format pdf"), "{}", ran.err);
}

#[test]
fn a_stored_behavior_can_be_opened() {
    let folder = folder(&[("Lock.cfg", &model("INIT Init NEXT Broken INVARIANT Mutex"))]);
    folder.run(&["check", "Lock.tla", "--report", "itf=a.json", "--report", "trace-json=b.json"]);
    let ran = folder.run(&["trace", "a.json", "--only", "pc"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert!(ran.out.contains("pc = ") && !ran.out.contains("turns"), "{}", ran.out);
    assert_eq!(folder.run(&["trace", "a.json", "--diff", "a.json"]).status, 0);
    assert_eq!(folder.run(&["trace", "b.json", "--format", "html", "-o", "b.html"]).status, 0);
    assert!(folder.path().join("b.html").is_file());
    assert_eq!(folder.run(&["trace", "Lock.tla"]).status, 150);
    assert_eq!(folder.run(&["trace", "absent.json"]).status, 150);
}

#[test]
fn random_walks_depend_on_the_seed_alone() {
    let folder = folder(&[("Lock.cfg", &model("INIT Init NEXT Broken INVARIANT Mutex"))]);
    let run = |seed: &str, n: &str| {
        let words = ["check", "Lock.tla", "--simulate", "--traces", "500", "--format", "json"];
        let mut words = words.to_vec();
        words.extend(["--seed", seed, "--workers", n]);
        let ran = folder.run(&words);
        assert_eq!(ran.status, 12, "{}", ran.text());
        ran.text().replace(&format!("\"workers\":{n}"), "\"workers\":N")
    };
    let one = run("7", "1");
    assert_eq!(one, run("7", "2"));
    assert_eq!(one, run("7", "4"));
    assert!(one.contains("\"seed\":7"));
}

#[test]
fn random_walks_find_lassos_and_can_be_stored() {
    let folder = folder(&[("Lock.cfg", &model("SPECIFICATION Fair PROPERTY Never"))]);
    let ran = folder.run(&["check", "Lock.tla", "--simulate", "--traces", "100", "--seed", "1"]);
    assert_eq!(ran.status, 13, "{}", ran.text());
    assert!(ran.out.contains("and back to state"), "{}", ran.out);
    let words = ["check", "Lock.tla", "--simulate", "--traces", "3", "--ignore-liveness"];
    let ran = folder.run(&[&words[..], &["--trace-files", "walk", "--depth", "5"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.text());
    let walk = std::fs::read_to_string(folder.path().join("walk_0_2")).expect("the third walk");
    assert_eq!(walk.matches("STATE_").count(), 6, "{walk}");
}

/// Processes take a turn each; `First` prefers one that it has by name.
const TURNS: &str = "\
---- MODULE Turns ----
EXTENDS TLC, FiniteSets, Naturals
CONSTANTS Proc, Favourite
VARIABLE taken
Perms == Permutations(Proc)
None == taken = {}
Two == Cardinality(taken) <= 5
FavouriteWaits == Favourite \\notin taken \\/ Cardinality(taken) = Cardinality(Proc)
First == taken = {Favourite}
Fair == \\E p \\in Proc \\ taken : taken' = taken \\cup {p}
Unfair == \\E p \\in Proc \\ taken : /\\ taken = {} => p = Favourite
                                  /\\ taken' = taken \\cup {p}
====
";

#[test]
fn a_specification_that_is_not_symmetric_is_said_to_be() {
    let model = "CONSTANTS Proc = {p1, p2, p3} Favourite = p1 SYMMETRY Perms CHECK_DEADLOCK FALSE ";
    let run = |rest: &str| {
        let model = format!("{model} {rest}");
        let folder = Folder::new(&[("Turns.tla", TURNS), ("Turns.cfg", &model)]);
        folder.run(&["check", "Turns.tla"])
    };
    let ran = run("INIT None NEXT Fair INVARIANT Two");
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert!(!ran.text().contains("not symmetric"), "{}", ran.text());
    for (rest, why) in [
        ("INIT First NEXT Fair", "this initial state is none: taken = {p1}"),
        ("INIT None NEXT Unfair", "other states follow the state taken = {}"),
    ] {
        let text = run(rest).text();
        assert!(text.contains("The specification is not symmetric under Perms"), "{text}");
        assert!(text.contains(why), "{text}");
    }
    // With one state for all that symmetry takes for the same, which one is looked at is chance.
    let text = run("INIT None NEXT Fair INVARIANT FavouriteWaits").text();
    assert!(
        text.contains("is violated") || text.contains("the invariant FavouriteWaits"),
        "{text}"
    );
}

/// A counter that never ends.
const ENDLESS: &str = "---- MODULE Endless ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1 \\/ x' = x + 2\n====\n";

#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_run_with_its_summary() {
    use std::io::{BufRead as _, BufReader};
    let talk = "---- MODULE Endless ----\nEXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n\
                Next == x' = x + 1 /\\ (x = 5 => PrintT(\"five\"))\n====\n";
    let folder = Folder::new(&[("Endless.tla", talk), ("Endless.cfg", "INIT Init NEXT Next")]);
    let mut command = folder.command(&["check", "Endless.tla", "--format", "json", "-w", "2"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().expect("the binary runs");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    // It is at work once it has printed.
    assert_eq!(lines.next().expect("a line").expect("text"), "\"five\"");
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|it| it.success()));
    let last = lines.map_while(Result::ok).last().expect("a summary");
    assert_eq!(child.wait().expect("it ends").code(), Some(152));
    assert!(last.contains("\"verdict\":\"limit\""), "{last}");
    assert!(last.contains("\"interrupted\":true"), "{last}");
}

#[test]
fn limits_end_a_run() {
    let folder = Folder::new(&[("Endless.tla", ENDLESS), ("Endless.cfg", "INIT Init NEXT Next")]);
    for limit in [["--max-states", "1000"], ["--max-depth", "50"], ["--max-time", "200ms"]] {
        let ran = folder.run(&[&["check", "Endless.tla", "--format", "json"][..], &limit].concat());
        assert_eq!(ran.status, 152, "{limit:?}: {}", ran.text());
        assert!(ran.out.contains(&format!("({})", limit[0])), "{limit:?}: {}", ran.out);
    }
}

#[test]
fn a_depth_first_search_says_how_far_it_went() {
    let folder = folder(&[("Lock.cfg", &model("SPECIFICATION Spec INVARIANT Mutex"))]);
    let ran = folder.run(&["check", "Lock.tla", "--dfid", "3"]);
    assert_eq!(ran.status, 0, "{}", ran.text());
    assert!(ran.out.contains("note: the search went to depth 3"), "{}", ran.out);
    let ran = folder.run(&["check", "Lock.tla", "--dfid", "99"]);
    assert!(!ran.out.contains("note:"), "{}", ran.out);
    let folder = self::folder(&[("Lock.cfg", &model("INIT Init NEXT Broken INVARIANT Mutex"))]);
    assert_eq!(folder.run(&["check", "Lock.tla", "--dfid", "5"]).status, 12);
}

#[test]
fn simulate_is_a_verb_of_its_own() {
    let module = "---- MODULE W ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 5\nInv == x < 4\n====\n";
    let folder =
        Folder::new(&[("W.tla", module), ("W.cfg", "INIT Init\nNEXT Next\nINVARIANT Inv\n")]);
    let words = ["--seed", "1", "--traces", "3", "--depth", "9", "-w", "1", "W.tla"];
    let run = |verb: &[&str]| folder.run(&[verb, &words].concat()).text();
    let simulated = run(&["simulate"]);
    assert!(simulated.starts_with("exit 12"), "{simulated}");
    assert!(simulated.contains("Behavior of 5 states"), "{simulated}");
    assert_eq!(simulated, run(&["check", "--simulate"]));
}
