//! Every format over the stock outcomes, compared with the files in `tests/snapshots`.
//!
//! `UPDATE_EXPECT=1 cargo test -p lockstep-report` blesses them.

use expect_test::expect_file;
use lockstep_report::{
    ActionRef, Binding, Diagnostic, FORMATS, Frame, Lasso, Location, Message, Outcome, Outdegree,
    Trace, TraceStep, Value, Verdict, Violation,
};

fn location(line: u32, col: u32, end_line: u32, end_col: u32) -> Location {
    Location { line, col, end_line, end_col, module: "Lock".into(), file: "Lock.tla".into() }
}

fn binding(name: &str, value: Value) -> Binding {
    Binding { name: name.into(), text: value.text(), value }
}

fn text(it: &str) -> Value {
    Value::Str(it.into())
}

fn state(first: &str, second: &str, owner: &[&str]) -> Vec<Binding> {
    let pc = Value::Function(vec![
        (Value::Model("p1".into()), text(first)),
        (Value::Model("p2".into()), text(second)),
    ]);
    let owner = Value::Set(owner.iter().map(|it| Value::Model((*it).into())).collect());
    vec![
        binding("pc", pc),
        binding("owner", owner),
        binding("log", Value::Tuple(vec![text("a</b>\"\n")])),
    ]
}

fn action(name: &str, process: &str) -> Option<ActionRef> {
    Some(ActionRef {
        name: name.into(),
        arguments: vec![process.into()],
        context: vec![("p".into(), Value::Model(process.into()))],
        location: Some(location(9, 13, 11, 30)),
    })
}

fn step(n: usize, action: Option<ActionRef>, state: Vec<Binding>) -> TraceStep {
    TraceStep { n, action, state, fingerprint: None }
}

fn base() -> Outcome {
    let mut it = Outcome::new("Lock", "Lock.tla");
    it.searched = true;
    it.workers = 2;
    it.seconds = 0.25;
    it.variables = vec!["pc".into(), "owner".into(), "log".into()];
    it.constants = vec!["Proc = {p1, p2}".into()];
    it.model_values = vec!["p1".into(), "p2".into()];
    it.counts.initial = 1;
    it.counts.initial_generated = 1;
    it
}

fn success() -> Outcome {
    let mut it = base();
    it.counts.generated = 1219;
    it.counts.distinct = 412;
    it.counts.depth = 12;
    it.outdegree = Some(Outdegree { average: 0.997, minimum: 0, maximum: 3, percentile_95: 2 });
    it.warnings.push(Message { code: 2144, text: "The EXCEPT was applied to non-existing fields of the value at\nline 6, col 35 to line 6, col 35 of module Lock".into() });
    it
}

fn invariant() -> Outcome {
    let mut it = base();
    it.verdict = Verdict::Invariant;
    it.counts.generated = 5;
    it.counts.distinct = 4;
    it.counts.queue = 1;
    it.counts.depth = 3;
    let mut violation = Violation::new(Verdict::Invariant);
    violation.property = Some("Mutex".into());
    violation.trace.steps = vec![
        step(1, None, state("idle", "idle", &[])),
        step(2, action("Enter", "p1"), state("in", "idle", &["p1"])),
        step(3, action("Enter", "p2"), state("in", "in", &["p1", "p2"])),
    ];
    it.violations.push(violation);
    it
}

fn liveness() -> Outcome {
    let mut it = base();
    it.verdict = Verdict::Liveness;
    it.counts.generated = 9;
    it.counts.distinct = 4;
    it.counts.depth = 3;
    let mut violation = Violation::new(Verdict::Liveness);
    violation.property = Some("Progress".into());
    violation.trace = Trace {
        steps: vec![
            step(1, None, state("idle", "idle", &[])),
            step(2, action("Enter", "p1"), state("in", "idle", &["p1"])),
        ],
        lasso: Some(Lasso::BackTo { n: 1, action: action("Leave", "p1") }),
    };
    it.violations.push(violation);
    it
}

fn stuttering() -> Outcome {
    let mut it = liveness();
    it.violations[0].trace.lasso = Some(Lasso::Stuttering);
    it
}

fn eval_error() -> Outcome {
    let mut it = base();
    it.verdict = Verdict::EvalError;
    it.counts.generated = 1;
    it.counts.distinct = 1;
    it.counts.depth = 1;
    let mut violation = Violation::new(Verdict::EvalError);
    violation.message = Some(
        "In applying the function\n<<2>>,\nthe first argument is:\n2\nwhich is not in its domain.\n"
            .into(),
    );
    violation.stack = vec![
        Frame { what: "Next".into(), location: Some(location(14, 9, 14, 40)), ..Frame::default() },
        Frame {
            what: "Enter(p1)".into(),
            location: Some(location(9, 13, 11, 30)),
            ..Frame::default()
        },
        Frame { what: String::new(), location: Some(location(10, 20, 10, 24)), ..Frame::default() },
    ];
    violation.trace.steps = vec![step(1, None, state("idle", "idle", &[]))];
    it.violations.push(violation);
    it
}

fn unknown_name() -> Outcome {
    let mut it = Outcome::new("Lock", "Lock.tla");
    it.verdict = Verdict::SemanticError;
    it.diagnostics.push(Diagnostic {
        code: "E4200".into(),
        error: true,
        message: "Unknown operator: `q'.".into(),
        location: Some(location(4, 13, 4, 13)),
        notes: Vec::new(),
        help: Some("a variable must be declared before it is used".into()),
        found: "q".into(),
        rendered: String::new(),
    });
    it
}

type Make = fn() -> Outcome;

const STOCK: &[(&str, Make)] = &[
    ("success", success),
    ("invariant", invariant),
    ("liveness", liveness),
    ("stuttering", stuttering),
    ("eval-error", eval_error),
    ("unknown-name", unknown_name),
];

#[test]
fn every_format_of_every_stock_outcome() {
    for format in FORMATS {
        for (name, outcome) in STOCK {
            let printed = (format.render)(&outcome());
            if format.name == "html" {
                // The page itself is fixed; what varies is the data in it.
                let data = printed.split("id=\"data\">").nth(1).expect("the page has data");
                let data = data.split("</script>").next().unwrap_or("");
                expect_file![format!("snapshots/{name}.html.json")].assert_eq(&format!("{data}\n"));
                continue;
            }
            let file = format!("snapshots/{name}.{}.{}", format.name, format.extension);
            expect_file![file].assert_eq(&printed);
        }
    }
}

#[test]
fn colours_only_add_escapes() {
    for (_, outcome) in STOCK {
        let outcome = outcome();
        let plain = lockstep_report::text::render(&outcome);
        let colored = lockstep_report::text::report(
            &outcome,
            lockstep_report::text::TextOptions { color: true },
        );
        assert_ne!(plain, colored);
        let mut stripped = String::new();
        let mut rest = colored.as_str();
        while let Some(at) = rest.find('\u{1b}') {
            stripped.push_str(&rest[..at]);
            let end = rest[at..].find('m').expect("an escape ends");
            rest = &rest[at + end + 1..];
        }
        stripped.push_str(rest);
        assert_eq!(plain, stripped);
    }
}

#[test]
fn json_formats_are_json() {
    for format in FORMATS
        .iter()
        .filter(|it| it.name.contains("json") || it.name == "itf" || it.name == "sarif")
    {
        for (name, outcome) in STOCK {
            let printed = (format.render)(&outcome());
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&printed);
            assert!(parsed.is_ok(), "{} of {name}", format.name);
        }
    }
}

#[test]
fn a_page_is_not_ended_by_its_data() {
    let page = lockstep_report::html::render(&invariant());
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("http://") && !page.contains("https://"), "the page loads nothing");
}
