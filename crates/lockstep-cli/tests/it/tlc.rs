//! `lockstep tlc`: what scripts and editors written for TLC see.

use expect_test::expect_file;

use crate::run::Folder;

const STEPS: &str = "\
---- MODULE Steps ----
EXTENDS Naturals, TLC
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = {}
Up(i) == /\\ x < 2
         /\\ x' = x + i
         /\\ UNCHANGED y
Back == x >= 2 /\\ x' = 0 /\\ y' = {<<\"a\", [k |-> x]>>}
Next == (\\E i \\in {1, 2} : Up(i)) \\/ Back
Stop == x < 2 /\\ x' = x + 1 /\\ UNCHANGED y
Wrong == IF x < 2 THEN x' = x + 1 /\\ y' = y ELSE x' = y[x] /\\ y' = y
Spec == Init /\\ [][Next]_vars
Fair == Spec /\\ WF_vars(Next)
Small == x < 5
Tiny == x < 2
None == x > 0
Seven == <>(x = 7)
Grows == [][x' > x]_x
Field == IF x < 2 THEN TRUE ELSE x.foo = 1
Says == Assert(x < 2, \"boom\")
First == x = 1
Done == TLCGet(\"distinct\") = 7
====
";

/// Name of the snapshot, model, options.
const RUNS: &[(&str, &str, &[&str])] = &[
    ("success", "SPECIFICATION Spec INVARIANT Small", &[]),
    ("invariant", "SPECIFICATION Spec INVARIANT Tiny", &[]),
    ("invariant-initial", "SPECIFICATION Spec INVARIANT None", &[]),
    ("action-property", "SPECIFICATION Spec PROPERTY Grows", &[]),
    ("initial-property", "SPECIFICATION Spec PROPERTY First", &[]),
    ("deadlock", "INIT Init NEXT Stop", &[]),
    ("no-deadlock", "INIT Init NEXT Stop", &["-deadlock"]),
    ("lasso", "SPECIFICATION Fair PROPERTY Seven", &[]),
    ("stuttering", "SPECIFICATION Spec PROPERTY Seven", &[]),
    ("invariant-error", "SPECIFICATION Spec INVARIANT Field", &[]),
    ("assert", "SPECIFICATION Spec INVARIANT Says", &[]),
    ("next-error", "INIT Init NEXT Wrong", &[]),
    ("postcondition", "SPECIFICATION Spec POSTCONDITION Done", &[]),
    ("continue", "SPECIFICATION Spec INVARIANT Tiny", &["-continue"]),
    ("difftrace", "SPECIFICATION Spec INVARIANT Tiny", &["-difftrace"]),
    ("coverage", "SPECIFICATION Spec INVARIANT Small", &["-coverage", "1"]),
    ("dfid", "SPECIFICATION Spec INVARIANT Tiny", &["-dfid", "5"]),
    ("simulate", "SPECIFICATION Spec INVARIANT Small", &["-simulate", "num=5", "-seed", "1"]),
    (
        "simulate-invariant",
        "SPECIFICATION Spec INVARIANT Tiny",
        &["-simulate", "num=5", "-seed", "1", "-depth", "9"],
    ),
    ("unknown-invariant", "SPECIFICATION Spec INVARIANT Absent", &[]),
    ("config-syntax", "SPECIFICATION Spec\nFOO Bar", &[]),
];

#[test]
fn plain_and_framed_reports() {
    for (name, model, options) in RUNS {
        let folder = Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", model)]);
        for (suffix, tool) in [("", None), ("-tool", Some("-tool"))] {
            let mut words = vec!["tlc", "-noTE"];
            words.extend(tool);
            words.extend(*options);
            words.push("Steps");
            let ran = folder.run(&words);
            expect_file![format!("../snapshots/tlc-{name}{suffix}.txt")].assert_eq(&ran.text());
        }
    }
}

#[test]
fn sources_that_cannot_be_used() {
    let model = ("M.cfg", "INIT Init NEXT Next");
    for (name, text) in [
        ("syntax", "---- MODULE M ----\nVARIABLE x\nInit == x = = 0\nNext == x' = x\n====\n"),
        ("names", "---- MODULE M ----\nVARIABLE x\nInit == x = q\nNext == x' = z\n====\n"),
        ("module", "---- MODULE M ----\nEXTENDS Nowhere\nVARIABLE x\n====\n"),
    ] {
        let folder = Folder::new(&[("M.tla", text), model]);
        for (suffix, tool) in [("", None), ("-tool", Some("-tool"))] {
            let mut words = vec!["tlc", "-noTE"];
            words.extend(tool);
            words.push("M");
            let ran = folder.run(&words);
            expect_file![format!("../snapshots/tlc-bad-{name}{suffix}.txt")].assert_eq(&ran.text());
        }
    }
}

/// A reader of framed messages, written from their description: code, class and text.
fn messages(text: &str) -> Vec<(u32, u32, String)> {
    let mut out = Vec::new();
    let mut open: Option<(u32, u32, String)> = None;
    for line in text.lines() {
        let marker = |kind: &str| {
            line.strip_prefix(&format!("@!@!@{kind} "))?.strip_suffix(" @!@!@").map(str::to_owned)
        };
        if let Some(head) = marker("STARTMSG") {
            assert!(open.is_none(), "a message within a message: {line}");
            let (code, class) = head.split_once(':').expect("code and class");
            let number = |it: &str| it.parse().expect("a number");
            open = Some((number(code), number(class), String::new()));
        } else if let Some(code) = marker("ENDMSG") {
            let message = open.take().expect("an end without a start");
            assert_eq!(code, message.0.to_string());
            out.push(message);
        } else if let Some((_, _, body)) = &mut open {
            body.push_str(line);
            body.push('\n');
        }
    }
    assert!(open.is_none(), "a message without an end");
    out
}

#[test]
fn framed_messages_can_be_read() {
    for (name, model, options) in RUNS {
        let folder = Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", model)]);
        let mut words = vec!["tlc", "-tool"];
        words.extend(*options);
        words.push("Steps");
        let ran = folder.run(&words);
        let messages = messages(&ran.out);
        let codes: Vec<u32> = messages.iter().map(|it| it.0).collect();
        assert_eq!(codes.first(), Some(&2262), "{name}");
        assert_eq!(codes.last(), Some(&2186), "{name}");
        let has_error = messages.iter().any(|it| it.1 == 1);
        let succeeds = ran.status == 0 && *name != "continue";
        assert_eq!(has_error, !succeeds, "{name}");
        // States are numbered without gaps and begin with the initial one.
        let states: Vec<&str> = (messages.iter())
            .filter(|it| it.0 == 2217)
            .map(|it| it.2.split(':').next().unwrap_or(""))
            .collect();
        let mut expected = 1;
        for it in states {
            if it == "1" {
                expected = 1;
            }
            assert_eq!(it, expected.to_string(), "{name}");
            expected += 1;
        }
    }
}

#[test]
fn mistakes_in_the_command_line() {
    let folder = Folder::new(&[("Steps.tla", STEPS)]);
    let out = |words: &[&str]| {
        let ran = folder.run(words);
        assert_eq!(ran.status, 1, "{words:?}");
        ran.out
    };
    assert!(
        out(&["tlc", "-foo", "Steps"]).contains("Error: Error: unrecognized option: -foo\nUsage: ")
    );
    assert!(out(&["tlc"]).contains("Error: Error: Missing input TLA+ module."));
    assert!(out(&["tlc", "-workers"]).contains("expect an integer or 'auto' for -workers option."));
    assert!(out(&["tlc", "-debugger", "Steps"]).contains("-debugger is not supported by Lockstep"));
    assert!(out(&["tlc", "-help"]).contains("-dumpTrace FORMAT FILE"));
}

#[test]
fn a_trace_module_is_written_and_replays() {
    let model = ("Steps.cfg", "SPECIFICATION Spec INVARIANT Tiny");
    let folder = Folder::new(&[("Steps.tla", STEPS), model]);
    let ran = folder.run(&["tlc", "Steps", "-dumpTrace", "json", "t.json"]);
    assert_eq!(ran.status, 12);
    assert!(ran.out.contains("Trace exploration spec path: ./Steps_TTrace_N.tla"), "{}", ran.out);
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .flatten()
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .filter(|it| it.contains("_TTrace_"))
        .collect();
    let [name] = names.as_slice() else { panic!("one trace module: {names:?}") };
    let ran = folder.run(&["tlc", "-noTE", "-config", name, name]);
    assert_eq!(ran.status, 12, "{}", ran.out);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("the trace");
    assert!(text.starts_with("{\"counterexample\":{\"action\":[[[1,{\"x\":0,\"y\":[]}]"), "{text}");
}

#[test]
fn a_configuration_may_stand_in_the_module() {
    let text =
        format!("{STEPS}\n---- CONFIG Steps ----\nSPECIFICATION Spec\nINVARIANT Tiny\n====\n");
    let folder = Folder::new(&[("Steps.tla", &text)]);
    assert_eq!(folder.run(&["tlc", "-noTE", "Steps"]).status, 12);
    assert_eq!(folder.run(&["tlc", "-noTE", "-config", "Steps.tla", "Steps"]).status, 12);
}

#[test]
fn all_states_can_be_dumped() {
    let folder = Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", "SPECIFICATION Spec")]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    assert_eq!(folder.run(&["tlc", "-dump", "all", "Steps"]).status, 0);
    assert_eq!(read("all.dump").matches("State ").count(), 12);
    for n in ["1", "2", "4"] {
        let file = format!("graph{n}.dot");
        let words = ["tlc", "-workers", n, "-dump", "dot,colorize,actionlabels", &file, "Steps"];
        assert_eq!(folder.run(&words).status, 0);
        let text = read(&file);
        assert_eq!(text.matches("style = filled").count(), 1);
        assert_eq!(text.matches(" -> ").count(), 18, "{text}");
        assert_eq!(text, read("graph1.dot"));
    }
    let ran = folder.run(&["tlc", "-dump", "dot,constrained", "g.dot", "Steps"]);
    assert!(ran.out.contains("Warning: the dump lacks states outside the model"), "{}", ran.out);
    assert_eq!(folder.run(&["tlc", "-dump", "dot,sideways", "g.dot", "Steps"]).status, 1);
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let folder = Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", "SPECIFICATION Spec")]);
    for (words, what) in [
        (&["-recover", "states/x"][..], "states/x: No such file"),
        (&["-loadTrace", "json", "t.json"][..], "t.json does not exist"),
        (&["-loadTrace", "foo", "t.json"][..], "there is no format foo to load a behavior from"),
        (
            &["-simulate", "-loadTrace", "json", "t.json"][..],
            "following a stored behavior in a random walk",
        ),
    ] {
        let mut all = vec!["tlc", "Steps"];
        all.extend(words);
        let ran = folder.run(&all);
        assert_eq!(ran.status, 153, "{}", ran.out);
        assert!(ran.out.contains(what), "{}", ran.out);
    }
}

#[test]
fn warnings_of_what_a_step_leaves_out() {
    let module = "---- MODULE M ----\nVARIABLES x, y, z\npair == <<x, y>>\nInit == x = 0 /\\ y = 0 /\\ z = 0\n\
                  Next == \\/ y' = 1 /\\ UNCHANGED <<x, y, z>>\n        \\/ x' = 1 /\\ y' = 0 /\\ z' = 0\n\
                  Spec == Init /\\ [][Next]_pair\n====\n";
    let folder = Folder::new(&[("M.tla", module), ("M.cfg", "SPECIFICATION Spec\n")]);
    let out = folder.run(&["tlc", "-tool", "M"]).out;
    assert!(out.contains("STARTMSG 2140:3"), "{out}");
    assert!(out.contains("contain the state variable z"), "{out}");
    assert!(!out.contains("contain the state variable x"), "{out}");
    assert!(out.contains("STARTMSG 2143:3"), "{out}");
    assert!(out.contains("The variable y was changed while it is specified as UNCHANGED"), "{out}");
}

/// Every option of TLC, with the start of what is printed where it is refused.
const ALL_OPTIONS: &[(&[&str], Option<&str>)] = &[
    (&["-config", "Steps.cfg"], None),
    (&["-deadlock"], None),
    (&["-workers", "2"], None),
    (&["-workers", "auto"], None),
    (&["-dfid", "4"], None),
    (&["-simulate", "num=2", "-depth", "5"], None),
    (&["-simulate", "num=2,stats=basic"], None),
    (&["-simulate", "num=2,stats=full"], None),
    (&["-simulate", "num=2,sched=rl"], None),
    (&["-simulate", "num=2,sched=rlaction"], None),
    (&["-simulate", "num=2,file=walk"], None),
    (&["-generate", "num=2"], None),
    (&["-modelcheck"], None),
    (&["-seed", "7"], None),
    (&["-aril", "3"], None),
    (&["-fp", "130"], None),
    (&["-fp", "131"], Some("the value for -fp must be from 0 to 130")),
    (&["-fpbits", "1"], None),
    (&["-fpmem", "0.5"], None),
    (&["-maxSetSize", "1000"], None),
    (&["-maxSetSize", "0"], Some("expect a positive integer for -maxSetSize")),
    (&["-lncheck", "final"], None),
    (&["-lncheck", "seq"], None),
    (&["-lncheck", "off"], None),
    (&["-continue"], None),
    (&["-inv", "x < 5"], None),
    (&["-invlevel", "40"], None),
    (&["-postCondition", "Steps!Done"], None),
    (&["-view"], None),
    (&["-tool"], None),
    (&["-terse"], None),
    (&["-nowarning"], None),
    (&["-suppressMessages", "2262,2187"], None),
    (&["-messagesAsErrors", "4800"], None),
    (&["-difftrace"], None),
    (&["-coverage", "1"], None),
    (&["-dump", "all"], None),
    (&["-dump", "dot,colorize,actionlabels,stuttering,strict", "g"], None),
    (&["-dump", "dot,snapshot", "g"], None),
    (&["-dump", "class,Foo", "g"], Some("-dump with a class of Java is not supported")),
    (&["-dumpTrace", "json", "t.json"], None),
    (&["-dumpTrace", "tla", "T.tla"], None),
    (&["-userFile", "printed"], None),
    (&["-debug"], None),
    (&["-debugger"], Some("-debugger is not supported by Lockstep")),
    (&["-debugger", "nosuspend,nohalt,port=4712"], Some("-debugger is not supported by Lockstep")),
    (&["-metadir", "meta"], None),
    (&["-cleanup"], None),
    (&["-checkpoint", "0"], None),
    (&["-gzip"], None),
    (&["-generateSpecTE"], None),
    (&["-generateSpecTE", "nomonolith"], None),
    (&["-noGenerateSpecTE"], None),
    (&["-noTE"], None),
    (&["-noGenerateSpecTEBin"], None),
    (&["-noTEBin"], None),
    (&["-teSpecOutDir", "out"], None),
    (&["-Dtlc2.tool.impl.Tool.cdot=true"], None),
    (&["-Dtlc2.tool.queue.IStateQueue=StateDeque"], None),
    (&["-Dutil.ExecutionStatisticsCollector.id=x"], None),
];

#[test]
fn every_option_is_taken_or_refused_by_name() {
    let folder =
        Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", "SPECIFICATION Spec INVARIANT Small")]);
    for (options, refused) in ALL_OPTIONS {
        let mut words = vec!["tlc"];
        words.extend(*options);
        words.push("Steps");
        let ran = folder.run(&words);
        match refused {
            None => {
                assert!(!ran.out.contains("unrecognized option"), "{options:?}: {}", ran.text());
                let ends = if options.contains(&"-postCondition") { 10 } else { 0 };
                assert!([0, ends].contains(&ran.status), "{options:?}: {}", ran.text());
            }
            Some(text) => {
                assert_eq!(ran.status, 1, "{options:?}: {}", ran.text());
                assert!(ran.out.contains(text), "{options:?}: {}", ran.text());
            }
        }
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let folder =
        Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", "SPECIFICATION Spec INVARIANT Small")]);
    let queue = "-Dtlc2.tool.queue.IStateQueue=StateDeque";
    let ran = folder.run(&["tlc", queue, "Steps"]);
    assert!(ran.out.contains("the search is breadth-first all the same"), "{}", ran.out);
    let ran = folder.run(&["tlc", "-checkpoint", "5", "-dump", "all", "Steps"]);
    assert!(ran.out.contains("No checkpoints are made while all states are dumped"), "{}", ran.out);
}

#[test]
fn actions_are_composed_when_that_is_switched_on() {
    let module = "---- MODULE Two ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\n\
                  Up == x < 4 /\\ x' = x + 1\nNext == Up \\cdot Up\n====\n";
    let folder = Folder::new(&[("Two.tla", module), ("Two.cfg", "INIT Init NEXT Next")]);
    let ran = folder.run(&["tlc", "-noTE", "-deadlock", "Two"]);
    assert!(ran.out.contains("does not support the action composition operator"), "{}", ran.out);
    let switch = "-Dtlc2.tool.impl.Tool.cdot=true";
    let ran = folder.run(&["tlc", "-noTE", "-deadlock", switch, "Two"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    assert!(ran.out.contains("3 distinct states found"), "{}", ran.out);
    let ran = folder.run(&["check", "--no-deadlock", "--action-composition", "Two.tla"]);
    assert!(ran.out.contains("3 distinct"), "{}", ran.text());
}

#[test]
fn a_stored_behavior_is_followed() {
    let tiny = "SPECIFICATION Spec INVARIANT Tiny";
    let folder = Folder::new(&[("Steps.tla", STEPS), ("Steps.cfg", tiny)]);
    let words =
        ["tlc", "-noTE", "-dumpTrace", "json", "t.json", "-dumpTrace", "tlc", "t.txt", "Steps"];
    assert_eq!(folder.run(&words).status, 12);
    let whole = folder.run(&["tlc", "-noTE", "Steps"]);
    for (format, file) in [("json", "t.json"), ("tlc", "t.txt")] {
        let ran = folder.run(&["tlc", "-noTE", "-loadTrace", format, file, "Steps"]);
        assert_eq!(ran.status, 12, "{format}: {}", ran.out);
        let states = |text: &str| text[text.find("State 1").expect("a trace")..].to_owned();
        let trace = |text: &str| {
            states(text).lines().take_while(|it| !it.contains("generated")).collect::<String>()
        };
        assert_eq!(trace(&ran.out), trace(&whole.out), "{format}");
        // With an invariant that holds, only the states of the behaviour are there.
        std::fs::write(folder.path().join("Fine.cfg"), "SPECIFICATION Spec INVARIANT Small")
            .expect("a model");
        let words =
            ["tlc", "-deadlock", "-config", "Fine.cfg", "-loadTrace", format, file, "Steps"];
        let ran = folder.run(&words);
        assert_eq!(ran.status, 0, "{format}: {}", ran.out);
        assert!(ran.out.contains(" 2 distinct states found"), "{format}: {}", ran.out);
    }
}
