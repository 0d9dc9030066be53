//! What a run of the checker came to, as plain data.
//!
//! Every format of this crate is a function of these types and of nothing else. Positions are
//! lines and columns (from 1, the end inclusive, as TLC prints them), never byte offsets, because
//! a report outlives the sources.

use crate::value::Value;

/// What the run came to. The texts are those of the `lockstep.check/1` summary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// No error was found.
    Ok,
    /// A state without successor.
    Deadlock,
    /// An invariant is false in a reachable state.
    Invariant,
    /// A transition breaks `[][A]_v`, or an initial state breaks a property's initial predicate.
    ActionProperty,
    /// A behaviour breaks a temporal property.
    Liveness,
    /// An ASSUME is false.
    Assumption,
    /// A POSTCONDITION or `_POSSIBLE` failed.
    Postcondition,
    /// `Assert(FALSE, …)`.
    Assert,
    /// An expression has no value.
    EvalError,
    /// The text is not TLA+.
    ParseError,
    /// A name, an arity or a level is wrong.
    SemanticError,
    /// The model (`.cfg`) does not fit the specification.
    ConfigError,
    /// A limit given by the user ended the run.
    Limit,
    /// The machine or the tool failed, or what was asked for is not supported.
    SystemError,
}

impl Verdict {
    /// All verdicts with their texts and usual exit statuses.
    pub const ALL: [(Verdict, &'static str, u8); 14] = [
        (Verdict::Ok, "ok", 0),
        (Verdict::Deadlock, "deadlock", 11),
        (Verdict::Invariant, "invariant", 12),
        (Verdict::ActionProperty, "action-property", 13),
        (Verdict::Liveness, "liveness", 13),
        (Verdict::Assumption, "assumption", 10),
        (Verdict::Postcondition, "postcondition", 10),
        (Verdict::Assert, "assert", 14),
        (Verdict::EvalError, "eval-error", 75),
        (Verdict::ParseError, "parse-error", 150),
        (Verdict::SemanticError, "semantic-error", 150),
        (Verdict::ConfigError, "config-error", 151),
        (Verdict::Limit, "limit", 152),
        (Verdict::SystemError, "system-error", 153),
    ];

    fn row(self) -> &'static (Verdict, &'static str, u8) {
        // `ALL` lists the variants in order; the test below holds that.
        &Self::ALL[self as usize]
    }

    /// The text of the summary.
    pub fn text(self) -> &'static str {
        self.row().1
    }

    /// The usual exit status. Some errors have one of their own, see [`Outcome::exit`].
    pub fn exit_status(self) -> u8 {
        self.row().2
    }
}

/// How the state space was searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Breadth first.
    #[default]
    BreadthFirst,
    /// Depth-first iterative deepening.
    DepthFirst,
    /// Random walks over all successors.
    Simulate,
    /// Random walks that draw one action and binding a step.
    Generate,
}

/// A place in a module, as TLC names it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// First line.
    pub line: u32,
    /// First column.
    pub col: u32,
    /// Last line.
    pub end_line: u32,
    /// Last column.
    pub end_col: u32,
    /// The module.
    pub module: String,
    /// The file's path as the user knows it; empty for built-in modules.
    pub file: String,
}

/// The action that led to a state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ActionRef {
    /// `Next`, or the innermost definition entered; `Initial predicate` has no [`ActionRef`].
    pub name: String,
    /// The ground arguments, printed: `["2", "r1"]`.
    pub arguments: Vec<String>,
    /// The parameters with their values.
    pub context: Vec<(String, Value)>,
    /// The action's text.
    pub location: Option<Location>,
}

/// A variable (or ALIAS field) with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// The name.
    pub name: String,
    /// The value as TLC prints it on one line.
    pub text: String,
    /// The value as a tree.
    pub value: Value,
}

/// A state of a counterexample.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceStep {
    /// Its number from 1.
    pub n: usize,
    /// The action that led here; `None` for an initial state.
    pub action: Option<ActionRef>,
    /// The variables, or what ALIAS shows, in the order to print.
    pub state: Vec<Binding>,
    /// The fingerprint, where known (DOT and VIEW use it).
    pub fingerprint: Option<u64>,
}

/// How a liveness counterexample goes on for ever.
#[derive(Clone, PartialEq, Debug)]
pub enum Lasso {
    /// The last state stutters.
    Stuttering,
    /// The action leads from the last state back to state `n`.
    BackTo {
        /// The number of the state.
        n: usize,
        /// The action of that step.
        action: Option<ActionRef>,
    },
}

/// A counterexample: a finite prefix and perhaps its loop.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// The states.
    pub steps: Vec<TraceStep>,
    /// The loop.
    pub lasso: Option<Lasso>,
}

/// A definition or expression being evaluated when an error arose, outermost first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frame {
    /// What it is: a definition with its arguments, or empty for a plain expression.
    pub what: String,
    /// Its place.
    pub location: Option<Location>,
    /// The text there, shortened; may be empty.
    pub text: String,
}

/// One property that failed or one error of evaluation, with the behaviour that led there.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// Its kind; never `Ok`.
    pub verdict: Verdict,
    /// TLC's number of the message, where it is not the usual one of the verdict.
    pub code: Option<u32>,
    /// The name of the property, or the text of the assumption.
    pub property: Option<String>,
    /// Where the property stands (an assumption, an action property).
    pub location: Option<Location>,
    /// The message of an evaluation error or Assert.
    pub message: Option<String>,
    /// The chain of definitions and expressions that led to the error, outermost first.
    pub stack: Vec<Frame>,
    /// The message with an excerpt of the source at its place; empty when there is none.
    pub rendered: String,
    /// The behaviour.
    pub trace: Trace,
    /// Whether it arose before the first successor: in the initial predicate, or in the test of an
    /// initial state.
    pub initial: bool,
}

impl Violation {
    /// A violation without more.
    pub fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            code: None,
            property: None,
            location: None,
            message: None,
            stack: Vec::new(),
            rendered: String::new(),
            trace: Trace::default(),
            initial: false,
        }
    }
}

/// A warning of the run, with TLC's number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// TLC's number; 1000 when it has none.
    pub code: u32,
    /// The text.
    pub text: String,
}

/// A problem of the sources, located and rendered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// `E4200`, `W4802`, `2224`…
    pub code: String,
    /// Whether it is an error (else a warning).
    pub error: bool,
    /// One phrase.
    pub message: String,
    /// Its place.
    pub location: Option<Location>,
    /// Facts that help.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// The text at the place, its first word or so; empty when there is none.
    pub found: String,
    /// The excerpt of the source with labels; empty when there is none.
    pub rendered: String,
}

/// The counts of TLC's summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Initial states and all successors, duplicates included.
    pub generated: u64,
    /// Fingerprints kept.
    pub distinct: u64,
    /// States not yet expanded.
    pub queue: u64,
    /// The longest shortest path, in states.
    pub depth: u64,
    /// Distinct initial states.
    pub initial: u64,
    /// Initial states generated, duplicates included.
    pub initial_generated: u64,
    /// Behaviours of a simulation.
    pub traces: u64,
}

/// Successors per state.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Outdegree {
    /// Of the mean.
    pub average: f64,
    /// The least.
    pub minimum: u64,
    /// The most.
    pub maximum: u64,
    /// Of 95 states in 100 at most this.
    pub percentile_95: u64,
}

/// How likely it is that two states shared a fingerprint.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Collision {
    /// From the counts alone.
    pub optimistic: f64,
    /// From the fingerprints found, where computed.
    pub observed: Option<f64>,
}

/// What a coverage count is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoverageKind {
    /// The initial predicate.
    Init,
    /// An action of the next-state relation.
    Action,
    /// An invariant or other property.
    Property,
    /// A constraint.
    Constraint,
    /// A variable's number of distinct values.
    Variable,
}

/// Coverage of one expression.
#[derive(Clone, PartialEq, Debug)]
pub struct CoverageNode {
    /// Its place.
    pub location: Location,
    /// Nesting depth.
    pub depth: usize,
    /// Evaluations.
    pub count: u64,
    /// Elements enumerated, where it enumerates.
    pub cost: Option<u64>,
}

/// Coverage of one action, property or variable.
#[derive(Clone, PartialEq, Debug)]
pub struct CoverageEntry {
    /// What it is.
    pub kind: CoverageKind,
    /// The name.
    pub name: String,
    /// Where the definition's name stands.
    pub location: Location,
    /// An unnamed disjunct: line, column, end line, end column of the part meant.
    pub part: Option<Location>,
    /// New states found through it, or distinct values of a variable.
    pub distinct: u64,
    /// States generated through it.
    pub generated: u64,
    /// Its expressions.
    pub nodes: Vec<CoverageNode>,
}

/// Coverage of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    /// In the order to print.
    pub entries: Vec<CoverageEntry>,
    /// Whether expressions were counted, too.
    pub expressions: bool,
    /// All expressions counted, each place once: the most that any use of it was evaluated.
    pub counted: Vec<CoverageNode>,
    /// The texts of the modules that they stand in, by name.
    pub sources: Vec<(String, String)>,
}

/// A state of the whole graph.
#[derive(Clone, PartialEq, Debug)]
pub struct GraphState {
    /// The fingerprint as TLC writes it.
    pub id: i64,
    /// Its level; initial states have level 1.
    pub level: u32,
    /// The variables.
    pub state: Vec<Binding>,
}

/// A step of the whole graph: from, to, and the number of the action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphEdge {
    /// The number of its first state.
    pub from: usize,
    /// The number of its second state.
    pub to: usize,
    /// The number of its action in [`StateGraph::actions`].
    pub action: usize,
}

/// All states found and all steps taken.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StateGraph {
    /// The states by level.
    pub states: Vec<GraphState>,
    /// The steps, by their first states.
    pub edges: Vec<GraphEdge>,
    /// The actions.
    pub actions: Vec<ActionRef>,
}

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The root module's name.
    pub spec: String,
    /// The root module's file as the user gave it.
    pub file: String,
    /// The verdict of the first violation, or `Ok`.
    pub verdict: Verdict,
    /// The exit status where it is not the verdict's usual one (76, 77, 255…).
    pub exit: Option<u8>,
    /// How it searched.
    pub mode: Mode,
    /// The counts.
    pub counts: Counts,
    /// Workers.
    pub workers: usize,
    /// Wall-clock time.
    pub seconds: f64,
    /// What failed: one, or several with `--continue`.
    pub violations: Vec<Violation>,
    /// Problems of the sources and of the model.
    pub diagnostics: Vec<Diagnostic>,
    /// Warnings of the run.
    pub warnings: Vec<Message>,
    /// What Print and PrintT wrote, unless it was written at once.
    pub output: Vec<String>,
    /// Things said to people beside the verdict (`temporal properties were ignored`).
    pub notes: Vec<String>,
    /// Which limit ended the run.
    pub limit: Option<String>,
    /// Successors per state.
    pub outdegree: Option<Outdegree>,
    /// Collision odds.
    pub collision: Option<Collision>,
    /// Coverage.
    pub coverage: Option<Coverage>,
    /// Actions that led to no state, after a complete search.
    pub never_taken: Vec<ActionRef>,
    /// Constraints with the number of states and steps that each kept out.
    pub pruned: Vec<(String, u64)>,
    /// New states on each level.
    pub levels: Vec<u64>,
    /// Whether the search ran at all (false after an error in sources, model or assumptions).
    pub searched: bool,
    /// The variables in order of declaration.
    pub variables: Vec<String>,
    /// Whether the user stopped the run.
    pub interrupted: bool,
    /// The lines of CONSTANTS of the model, as written: `N = 3`, `Op <- MyOp`.
    pub constants: Vec<String>,
    /// The model values of the model, sorted.
    pub model_values: Vec<String>,
    /// The seed of a simulation.
    pub seed: Option<i64>,
    /// How many temporal properties are checked.
    pub temporal: usize,
    /// Whether their check was carried out, after a complete search.
    pub temporal_checked: bool,
    /// The state graph, where it was asked for.
    pub graph: Option<StateGraph>,
}

impl Outcome {
    /// A run that found nothing wrong and counted nothing yet.
    pub fn new(spec: impl Into<String>, file: impl Into<String>) -> Self {
        Self {
            spec: spec.into(),
            file: file.into(),
            verdict: Verdict::Ok,
            exit: None,
            mode: Mode::BreadthFirst,
            counts: Counts::default(),
            workers: 1,
            seconds: 0.0,
            violations: Vec::new(),
            diagnostics: Vec::new(),
            warnings: Vec::new(),
            output: Vec::new(),
            notes: Vec::new(),
            limit: None,
            outdegree: None,
            collision: None,
            coverage: None,
            never_taken: Vec::new(),
            pruned: Vec::new(),
            levels: Vec::new(),
            searched: false,
            variables: Vec::new(),
            interrupted: false,
            constants: Vec::new(),
            model_values: Vec::new(),
            seed: None,
            temporal: 0,
            temporal_checked: false,
            graph: None,
        }
    }

    /// The status that the process ends with.
    pub fn exit_status(&self) -> u8 {
        self.exit.unwrap_or(self.verdict.exit_status())
    }

    /// The name of the property that failed first.
    pub fn property(&self) -> Option<&str> {
        self.violations.first()?.property.as_deref()
    }

    /// The behaviour of the first violation.
    pub fn trace(&self) -> Option<&Trace> {
        self.violations.first().map(|it| &it.trace).filter(|it| !it.steps.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict;

    #[test]
    fn verdicts_are_listed_in_order() {
        for (idx, (verdict, text, _)) in Verdict::ALL.iter().enumerate() {
            assert_eq!(*verdict as usize, idx, "{text}");
        }
    }
}
