//! A module around its algorithm: finding, replacing and mapping translations, the configuration beside it.

use expect_test::expect;

use crate::FileId;
use crate::pluscal::{Options, find_algorithm, merge_cfg, translate, translation_is_stale};

use super::module;

/// The text of a translation that must succeed.
fn translated(text: &str, options: &Options) -> String {
    translate(text, FileId(0), options).text.expect("a translation")
}

#[test]
fn an_unterminated_comment_goes_before_all_else() {
    let text = "---- MODULE M ----\n(* --algorithm A { variable x; { p: x := 1; (* }}\n====\n";
    let translation = translate(text, FileId(0), &Options::default());
    let first = &translation.diagnostics[0];
    assert_eq!(first.headline, "Algorithm not in properly terminated comment");
    assert!(translation.text.is_none());
}

#[test]
fn a_module_without_algorithm_says_so() {
    let text = "---- MODULE M ----\n(* An --algorithmic idea. *)\n====\n";
    assert_eq!(find_algorithm(text, FileId(0)), None);
    let translation = translate(text, FileId(0), &Options::default());
    assert_eq!(translation.diagnostics[0].code, "pcal-no-algorithm");
}

#[test]
fn translating_again_changes_nothing() {
    let text = module("--algorithm A { variable x = 0; { a: x := 1; b: skip } }");
    let once = translated(&text, &Options::default());
    assert_eq!(translated(&once, &Options::default()), once);
}

#[test]
fn the_place_of_an_old_translation_is_kept() {
    let text = "---- MODULE M ----\n(* --algorithm A { { a: skip } } *)\nB == 1\n\
                \\* BEGIN TRANSLATION\nold == 1\n\\* END TRANSLATION\nC == 2\n====\n";
    let new = translated(text, &Options::default());
    assert!(new.contains("B == 1\n\\* BEGIN TRANSLATION\nVARIABLE pc\n"), "{new}");
    assert!(new.ends_with("\n\\* END TRANSLATION\nC == 2\n====\n"), "{new}");
    assert!(!new.contains("old == 1"));
}

#[test]
fn a_begin_without_end_is_an_error() {
    let text = "---- MODULE M ----\n(* --algorithm A { { a: skip } } *)\n\
                \\* BEGIN TRANSLATION\n====\n";
    let translation = translate(text, FileId(0), &Options::default());
    assert_eq!(translation.diagnostics[0].code, "pcal-no-end");
}

#[test]
fn line_ends_are_kept_unless_unix_ones_are_asked_for() {
    let text = module("--algorithm A { { a: skip } }").replace('\n', "\r\n");
    let kept = translated(&text, &Options::default());
    assert_eq!(kept.matches('\n').count(), kept.matches("\r\n").count());
    let unix = translated(&text, &Options { unix_eol: true, ..Options::default() });
    assert!(!unix.contains('\r'));
}

#[test]
fn a_changed_algorithm_or_translation_is_stale() {
    let text = module("--algorithm A { variable x = 0; { a: x := x + 1 } }");
    let fresh = translated(&text, &Options::default());
    let code = |text: &str| translation_is_stale(text, FileId(0)).map(|warning| warning.code);
    assert_eq!(code(&text), None);
    assert_eq!(code(&fresh), None);
    assert_eq!(code(&fresh.replace("x := x + 1", "x  :=  x + 1 (* c *)")), None);
    assert_eq!(code(&fresh.replace("x := x + 1", "x := x + 2")), Some("W4804"));
    assert_eq!(code(&fresh.replace("x' = x + 1", "x' = x + 2")), Some("W4805"));
    let both = fresh.replace("x := x + 1", "x := 5").replace("x' = x + 1", "x' = 6");
    assert_eq!(code(&both), Some("W4803"));
    let silenced = both.lines().map(|line| {
        if line.contains("BEGIN TRANSLATION") { "\\* BEGIN TRANSLATION" } else { line }
    });
    assert_eq!(code(&silenced.collect::<Vec<_>>().join("\n")), None);
}

#[test]
fn a_translation_with_options_is_not_stale() {
    let algorithm = "--algorithm A { process (P \\in 1..2) { skip; a: skip } }";
    for word in ["-wf", "-sf", "-wfNext", "-nof"] {
        let (options, _) = Options::from_args([word, "-label"]).expect("options");
        let text = translated(&module(algorithm), &options);
        assert_eq!(translation_is_stale(&text, FileId(0)), None, "{word}");
    }
}

#[test]
fn generated_lines_lead_back_to_the_algorithm() {
    let text = module("--algorithm A { variable x = 0; { a: x := 1; b: print x } }");
    let translation = translate(&text, FileId(0), &Options::default());
    let new = translation.text.as_deref().expect("a translation");
    let source = |needle: &str| {
        let line = new.lines().position(|line| line.contains(needle)).expect("a line") as u32 + 1;
        let span = translation.source_of(line).expect("a source");
        &new[span.start as usize..span.end as usize]
    };
    assert_eq!(source("/\\ x' = 1"), "x := 1");
    assert_eq!(source("/\\ x = 0"), "x");
    assert_eq!(source("PrintT(x)"), "print");
    assert_eq!(source("a == /\\ pc = \"a\""), "a");
    let names: Vec<&str> = translation.labels.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn an_algorithm_below_its_translation_is_mapped_to_where_it_moves() {
    let text = "---- MODULE M ----\n\\* BEGIN TRANSLATION\n\\* END TRANSLATION\n\
                (* --algorithm A { variable x = 0; { a: x := 1 } } *)\n====\n";
    let translation = translate(text, FileId(0), &Options::default());
    let new = translation.text.as_deref().expect("a translation");
    let line = new.lines().position(|line| line.contains("x' = 1")).expect("a line") as u32 + 1;
    let span = translation.source_of(line).expect("a source");
    assert_eq!(&new[span.start as usize..span.end as usize], "x := 1");
}

#[test]
fn added_labels_are_marked() {
    let text = module("--algorithm A { variable x = 0; { x := 1; b: skip } }");
    let (options, _) = Options::from_args(["-reportLabels"]).expect("options");
    let translation = translate(&text, FileId(0), &options);
    let labels: Vec<(&str, bool)> =
        translation.labels.iter().map(|label| (label.name.as_str(), label.added)).collect();
    assert_eq!(labels, [("Lbl_1", true), ("b", false)]);
}

#[test]
fn options_in_the_module() {
    let fair = |comment: &str| {
        let text = format!("{comment}\n{}", module("--algorithm A { { a: skip } }"));
        translated(&text, &Options::default()).contains("WF_vars(Next)")
    };
    assert!(fair("(* PlusCal options (wf) *)"));
    assert!(fair("\\* PlusCal options (-termination, -nocfg)"));
    assert!(fair("(* PlusCal options -wf *)"));
    assert!(!fair("(* PlusCal options are described elsewhere *)"));
    let text = format!("(* PlusCal options (foo) *)\n{}", module("--algorithm A {{a: skip}}"));
    let translation = translate(&text, FileId(0), &Options::default());
    assert_eq!(translation.diagnostics[0].code, "pcal-options");
}

#[test]
fn options_of_the_command_line() {
    let read = |words: &[&str]| match Options::from_args(words.iter().copied()) {
        Ok((options, rest)) => format!("{options:?} {rest:?}"),
        Err(message) => message,
    };
    let all = [
        "-wf",
        "-termination",
        "-nocfg",
        "-noold",
        "-noDoneDisjunct",
        "-reportLabels",
        "-labelRoot",
        "L",
        "-lineWidth",
        "70",
        "-unixEOL",
        "-version",
        "1.8",
        "-myspec",
        "S",
        "M.tla",
    ];
    expect![[r#"Options { fairness: Some(Weak), termination: true, no_cfg: true, no_old: true, no_done_disjunct: true, label: true, report_labels: true, label_root: "L", line_width: 70, unix_eol: true, version: "1.8", spec: Some(("myspec", "S")) } ["M.tla"]"#]].assert_eq(&read(&all));
    expect!["Unknown command-line option: -bogus"].assert_eq(&read(&["-bogus", "M"]));
    expect!["Can only have one of -wf, -sf, -wfNext, and -nof options"]
        .assert_eq(&read(&["-wf", "-sf", "M"]));
    expect!["-lineWidth needs a number of at least 60, not `20'"]
        .assert_eq(&read(&["-lineWidth", "20"]));
    expect!["-labelRoot must be followed by a value"].assert_eq(&read(&["-labelRoot"]));
    expect!["Unknown version of PlusCal: `2.0'"].assert_eq(&read(&["-version", "2.0"]));
    expect!["-labelRoot needs the start of a name, not `1x'"]
        .assert_eq(&read(&["-labelRoot", "1x"]));
    expect!["Can only have one of -spec, -myspec, -spec2, and -myspec2 options"]
        .assert_eq(&read(&["-spec", "A", "-spec2", "B"]));
}

#[test]
fn the_configuration_keeps_what_the_user_added() {
    let text = module("--algorithm A { variable x; { a: skip } }");
    let (options, _) = Options::from_args(["-termination"]).expect("options");
    let cfg = translate(&text, FileId(0), &options).cfg.expect("a configuration");
    let first = merge_cfg(&cfg, None);
    expect![[r#"
        SPECIFICATION Spec
        PROPERTY Termination
        CONSTANT defaultInitValue = defaultInitValue
        \* Add statements after this line.
    "#]]
    .assert_eq(&first);
    assert_eq!(merge_cfg(&cfg, Some(&first)), first);
    let edited = format!("{first}INVARIANT I\n");
    assert_eq!(merge_cfg(&cfg, Some(&edited)), edited);
    let own = merge_cfg(&cfg, Some("SPECIFICATION Mine\nINVARIANT I"));
    expect![[r#"
        PROPERTY Termination
        CONSTANT defaultInitValue = defaultInitValue
        \* Add statements after this line.
        SPECIFICATION Mine
        INVARIANT I
    "#]]
    .assert_eq(&own);
    let (options, _) = Options::from_args(["-nocfg"]).expect("options");
    assert_eq!(translate(&text, FileId(0), &options).cfg, None);
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| {
        let algorithm = format!(
            "--algorithm A {{ variable x = 0; {{ a: {} x := 1 {} }} }}",
            "if (x = 0) {".repeat(depth),
            "}".repeat(depth)
        );
        let translation = translate(&module(&algorithm), FileId(0), &Options::default());
        translation.diagnostics.first().map(|one| one.code)
    };
    assert_eq!(nested(100), None);
    assert_eq!(nested(20_000), Some("pcal-nesting"));
}

#[test]
fn no_prefix_of_an_algorithm_panics() {
    let whole = module(
        "--algorithm A { variables x = 1, y \\in {1}; define { d == x } macro m(a) { a := 1 } \
         procedure P(a = 1) variable b; { p: b := a; return; } \
         fair process (Q \\in 1..2) { a:+ while (x > 1) { either m(x) or call P(1); b: with (i = 1) \
         { await i = x; print \"é\" } } } }",
    );
    for (at, _) in whole.char_indices() {
        let _ = translate(&whole[..at], FileId(0), &Options::default());
        let cut = format!("{}*)\n====\n", &whole[..at]);
        let _ = translate(&cut, FileId(0), &Options::default());
        let _ = translation_is_stale(&cut, FileId(0));
    }
}
