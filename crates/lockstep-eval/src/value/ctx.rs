//! The evaluation context of one worker.
//!
//! Everything an evaluation may read or leave behind besides its arguments: names, limits,
//! registers, output, warnings, randomness, the state of the search, and the host. No IO happens
//! here: output is collected as events, files and processes are the [`Host`]'s business.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_syntax::source::Span;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::hash::mix;
use super::symbols::{ModelId, Names, Sym, Symbols};
use super::{Domain, Shape, Value};
use crate::error::{EvalError, EvalResult, code};

/// Bounds of evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most elements a set may have when it is enumerated.
    pub max_set_size: usize,
    /// The deepest nesting of operator calls.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_set_size: 1_000_000, max_depth: 100_000 }
    }
}

/// What an evaluation printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text, wrapped as TLC wraps it, without the final line break.
    pub text: String,
}

/// Something worth telling that is not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// TLC's number.
    pub code: u32,
    /// The message.
    pub message: String,
    /// The place.
    pub span: Option<Span>,
}

/// What the search tells the specification through `TLCGet`.
#[derive(Clone, Debug, Default)]
pub struct SearchView {
    /// `TLCGet("level")`.
    pub level: i64,
    /// Distinct states.
    pub distinct: u64,
    /// Generated states.
    pub generated: u64,
    /// Initial states.
    pub initial: u64,
    /// States left on the queue.
    pub queue: u64,
    /// Depth of the search so far.
    pub diameter: u64,
    /// Seconds since the start.
    pub duration: u64,
    /// Number of this worker.
    pub worker: u32,
    /// Milliseconds since 1970, for `JavaTime`.
    pub now_ms: u64,
    /// Completed traces (simulation).
    pub traces: u64,
    /// Whether this is a simulation.
    pub simulating: bool,
    /// `TLCGet("config")`, built by the caller.
    pub config: Option<Value>,
    /// `TLCGet("spec")`, built by the caller.
    pub spec: Option<Value>,
    /// What `TLCGet("-Dname")` answers: names and values.
    pub properties: Rc<[(SmolStr, SmolStr)]>,
    /// `TLCGet("action")`, built by the caller.
    pub action: Option<Value>,
    /// The behaviour up to the present state: what `Trace` of TLCExt yields.
    pub trace: Option<Value>,
    /// What `CounterExample` of TLCExt yields, set once the search is over.
    pub counterexample: Option<Value>,
}

/// The registers of another worker.
#[derive(Clone, Debug, Default)]
pub struct OtherRegisters {
    /// By number.
    pub numbered: BTreeMap<i32, Value>,
    /// By name.
    pub named: BTreeMap<SmolStr, Value>,
}

/// What a host process gave back.
#[derive(Clone, Debug, Default)]
pub struct ProcessOutput {
    /// Its exit status.
    pub status: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// Files, processes and the environment, given by the program that embeds the evaluator.
pub trait Host {
    /// The text of a file.
    fn read_file(&self, path: &str) -> Result<String, String>;
    /// Writes a file, or appends to it; makes missing folders.
    fn write_file(&self, path: &str, text: &str, append: bool) -> Result<(), String>;
    /// Runs a command with arguments and extra environment.
    fn exec(&self, command: &[String], env: &[(String, String)]) -> Result<ProcessOutput, String>;
    /// The environment variables.
    fn env(&self) -> Vec<(String, String)>;
    /// The milliseconds since 1970.
    fn now_ms(&self) -> u64;
}

/// A small generator of random numbers (splitmix64), seeded from the state so that runs repeat.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A generator that always yields the same sequence for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { state: mix(seed ^ 0x5241_4e44) }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number below `bound`, which must be positive.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Whether an event of probability `p` happens.
    pub fn chance(&mut self, p: f64) -> bool {
        ((self.next_u64() >> 11) as f64) / ((1_u64 << 53) as f64) < p
    }
}

/// The context of one worker. Not shared between threads.
pub struct Ctx {
    /// Strings and model values.
    pub names: Names,
    /// Record shapes, each held once.
    shapes: FxHashMap<Box<[Sym]>, Rc<Shape>>,
    static_shapes: Vec<Option<Rc<Shape>>>,
    /// Domains of decoded functions by their bytes.
    pub(super) domains: FxHashMap<Box<[u8]>, Rc<Domain>>,
    /// Bounds.
    pub limits: Limits,
    /// Numbered registers of `TLCSet`.
    pub registers: BTreeMap<i32, Value>,
    /// Named registers of `TLCSet`.
    pub named_registers: BTreeMap<SmolStr, Value>,
    /// The registers of the other workers, which `TLCGet("all")` and `TLCGet("all:named")` show;
    /// empty while a search is under way.
    pub other_registers: Vec<OtherRegisters>,
    /// Set by `TLCSet("exit", TRUE)`: stop after the present state.
    pub exit_requested: bool,
    /// What was printed, in order.
    pub output: Vec<Output>,
    /// Warnings, each once.
    pub warnings: Vec<Warning>,
    warned: BTreeSet<(u32, Option<Span>, String)>,
    /// Randomness.
    pub rng: Rng,
    /// The state of the search.
    pub search: SearchView,
    /// Files and processes, if the embedding program gives them.
    pub host: Option<Rc<dyn Host>>,
    /// Depth of operator calls at present; kept by the evaluator.
    pub depth: usize,
    /// Somebody's wish that the evaluation under way ends: it does so with an error.
    pub interrupt: Option<Arc<AtomicBool>>,
    ticks: u32,
    /// What the evaluation under way reads of the states, when somebody wants to know.
    pub(crate) reads: crate::memo::ReadLog,
}

impl Ctx {
    /// A context over frozen names.
    pub fn new(symbols: Arc<Symbols>) -> Self {
        Self {
            names: Names::new(symbols),
            shapes: FxHashMap::default(),
            static_shapes: Vec::new(),
            domains: FxHashMap::default(),
            limits: Limits::default(),
            registers: BTreeMap::new(),
            named_registers: BTreeMap::new(),
            other_registers: Vec::new(),
            exit_requested: false,
            output: Vec::new(),
            warnings: Vec::new(),
            warned: BTreeSet::new(),
            rng: Rng::new(0),
            search: SearchView::default(),
            host: None,
            depth: 0,
            interrupt: None,
            ticks: 0,
            reads: crate::memo::ReadLog::default(),
        }
    }

    /// The string value of a text.
    pub fn string(&mut self, text: &str) -> Value {
        Value::Str(self.names.intern(text))
    }

    /// The model value of a name.
    pub fn model(&mut self, name: &str) -> Value {
        Value::Model(self.names.intern_model(name))
    }

    /// The text of a string.
    #[inline]
    pub fn text(&self, sym: Sym) -> &SmolStr {
        self.names.text(sym)
    }

    /// The name of a model value.
    pub fn model_name(&self, id: ModelId) -> &SmolStr {
        self.names.model_name(id)
    }

    /// The shape with these field names, which must be in the order of strings and distinct.
    pub fn shape(&mut self, names: &[Sym]) -> Rc<Shape> {
        if let Some(shape) = self.shapes.get(names) {
            return shape.clone();
        }
        let hashes = names.iter().map(|name| self.names.hash(*name)).collect();
        let shape = Rc::new(Shape {
            names: names.into(),
            hashes,
            static_id: self.names.shared().find_shape(names),
        });
        self.shapes.insert(names.into(), shape.clone());
        shape
    }

    /// The shape that the shared table numbers `id`.
    pub(crate) fn static_shape(&mut self, id: u32) -> Option<Rc<Shape>> {
        let idx = id as usize;
        if let Some(Some(shape)) = self.static_shapes.get(idx) {
            return Some(shape.clone());
        }
        let names: Box<[Sym]> = self.names.shared().shape(id)?.into();
        let shape = self.shape(&names);
        if self.static_shapes.len() <= idx {
            self.static_shapes.resize(idx + 1, None);
        }
        self.static_shapes[idx] = Some(shape.clone());
        Some(shape)
    }

    /// Adds a warning unless the same one was given for the same place.
    pub fn warn(&mut self, code: u32, span: Option<Span>, message: String) {
        if self.warned.insert((code, span, message.clone())) {
            self.warnings.push(Warning { code, message, span });
        }
    }

    /// Adds printed text.
    pub fn print(&mut self, text: String) {
        self.output.push(Output { text });
    }

    /// To be called wherever an evaluation may go on for long: it looks for the wish to end now and
    /// then.
    #[inline]
    pub fn tick(&mut self) -> EvalResult<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks & 0x3fff == 0 { self.look_up() } else { Ok(()) }
    }

    /// Looks for the wish to end.
    #[cold]
    pub(crate) fn look_up(&self) -> EvalResult<()> {
        // ORDERING: a flag that only goes up; seeing it late costs a little time.
        match &self.interrupt {
            Some(it) if it.load(Ordering::Relaxed) => {
                Err(EvalError::new(code::INTERRUPTED, "The evaluation was interrupted."))
            }
            _ => Ok(()),
        }
    }

    /// Checks the number of elements of a set about to be built.
    #[inline]
    pub fn check_set_size(&self, n: usize) -> EvalResult<()> {
        if n > self.limits.max_set_size {
            return Err(too_large(self.limits.max_set_size));
        }
        Ok(())
    }
}

#[cold]
fn too_large(limit: usize) -> Box<EvalError> {
    EvalError::new(
        code::SET_TOO_LARGE,
        format!("Attempted to construct a set with too many elements (>{limit})."),
    )
}
