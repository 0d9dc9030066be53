//! Schedules: systems, their order, and how a frame runs.
//!
//! A frame: states change, then wave by wave: conditions, systems, commit, observers. The commit at the end of every wave is part of
//! the plan, the same for every executor.
//!
//! Invariant: building a schedule twice from the same registrations gives the same plan.

mod control;
mod exec;
mod explain;
pub(crate) mod par;
mod plan;
mod trace;
mod watch;

pub use control::{FixedStep, NextState, State, entered, in_state, left, run_once};
pub use exec::{Executor, FrameError, FrameErrorKind, FrameReport, Timing};
pub use explain::{Explanation, SystemNote};
pub use plan::{Ambiguity, CycleError, Edge, Plan, Strength};
pub use trace::TraceLog;
pub use watch::Watch;

use crate::entity::MAX_SYSTEMS;
use crate::query::{Access, Conflict};
use crate::system::{IntoSystem, ResolverBox, System};
use crate::world::World;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) type Condition = Box<dyn System<Out = bool>>;

#[derive(Clone, Debug)]
struct Wish {
    /// The other side: a system or a set.
    name: String,
    before: bool,
    preference: bool,
}

pub(crate) struct Entry {
    pub(crate) system: Box<dyn System<Out = ()>>,
    pub(crate) name: String,
    sets: Vec<String>,
    wishes: Vec<Wish>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) ready: bool,
    /// Cycles of the last runs, smoothed.
    pub(crate) cost: u64,
}

#[derive(Clone, Debug, Default)]
struct SetConfig {
    wishes: Vec<Wish>,
    sets: Vec<String>,
}

/// Why a schedule could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// A constraint names nothing that exists.
    Unknown {
        /// The system or set whose constraint it is.
        of: String,
        /// The name it uses.
        name: String,
    },
    /// Constraints form a circle.
    Cycle(CycleError),
    /// A system's own parameters cannot be had together.
    System {
        /// The system.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// More systems than a schedule can number.
    TooMany,
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BuildError::Unknown { of, name } => {
                write!(f, "{of} is ordered against {name}, but no system or set has that name")
            }
            BuildError::Cycle(cycle) => cycle.fmt(f),
            BuildError::System { name, message } => write!(f, "the system {name}: {message}"),
            BuildError::TooMany => write!(f, "a schedule has at most {MAX_SYSTEMS} systems"),
        }
    }
}
impl std::error::Error for BuildError {}

/// A clock: nanoseconds since some fixed moment. The crate has none of its own.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Systems and their order.
pub struct Schedule {
    name: String,
    pub(crate) entries: Vec<Entry>,
    sets: BTreeMap<String, SetConfig>,
    pub(crate) plan: Plan,
    accesses: Vec<Access>,
    built_for: Option<Arc<()>>,
    dirty: bool,
    pub(crate) executor: Executor,
    pub(crate) clock: Option<Clock>,
    pub(crate) resolver: ResolverBox,
    pub(crate) wave_cost: Vec<u64>,
    pub(crate) hash_frames: bool,
    pub(crate) rollback: Option<Box<crate::time::Image>>,
    watch: Option<Watch>,
    conflict_names: BTreeMap<Conflict, String>,
}

impl std::fmt::Debug for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schedule")
            .field("name", &self.name)
            .field("systems", &self.entries.len())
            .field("waves", &self.plan.waves.len())
            .finish_non_exhaustive()
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::new("main")
    }
}

impl Schedule {
    /// An empty schedule. The name is part of the keys under which its systems remember things in the world.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Schedule {
            name: name.to_owned(),
            entries: Vec::new(),
            sets: BTreeMap::new(),
            plan: Plan::default(),
            accesses: Vec::new(),
            built_for: None,
            dirty: true,
            executor: Executor::Serial,
            clock: None,
            resolver: ResolverBox::default(),
            wave_cost: Vec::new(),
            hash_frames: false,
            rollback: None,
            watch: None,
            conflict_names: BTreeMap::new(),
        }
    }

    /// Adds a system at the end of the order of registration.
    pub fn add<M>(&mut self, system: impl IntoSystem<M, Out = ()>) -> SystemConfig<'_> {
        self.dirty = true;
        let system = system.into_system();
        let name = system.name().to_owned();
        self.entries.push(Entry {
            system,
            name,
            sets: Vec::new(),
            wishes: Vec::new(),
            conditions: Vec::new(),
            ready: false,
            cost: 0,
        });
        SystemConfig { entry: self.entries.last_mut().expect("just added") }
    }

    /// Constrains a set of systems.
    pub fn set(&mut self, name: &str) -> SetHandle<'_> {
        self.dirty = true;
        SetHandle { config: self.sets.entry(name.to_owned()).or_default() }
    }

    /// Chooses who runs systems. Changes no result.
    pub fn set_executor(&mut self, executor: Executor) -> &mut Self {
        self.executor = executor;
        self
    }
    /// Measures systems with this clock.
    pub fn set_clock(&mut self, clock: Clock) -> &mut Self {
        self.clock = Some(clock);
        self
    }
    /// Puts the world's hash into every report.
    pub fn hash_frames(&mut self, on: bool) -> &mut Self {
        self.hash_frames = on;
        self
    }
    /// With rollback on, a frame that fails leaves the world as it was before the frame.
    pub fn set_rollback(&mut self, on: bool) -> &mut Self {
        self.rollback = on.then(Box::default);
        self
    }
    /// Shows what runs right now to another thread: a watchdog can name a system that hangs.
    pub fn watch(&mut self) -> Watch {
        self.dirty = true;
        self.watch.get_or_insert_with(Watch::new).clone()
    }
    /// The name of a system.
    #[must_use]
    pub fn system_name(&self, index: u32) -> &str {
        &self.entries[index as usize].name
    }
    /// How many systems there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Makes the plan. `run` does it when something changed.
    ///
    /// # Errors
    /// Circles, unknown names, systems that contradict themselves.
    pub fn build(&mut self, world: &mut World) -> Result<&Plan, BuildError> {
        let same = self.built_for.as_ref().is_some_and(|t| Arc::ptr_eq(t, &world.token));
        if same && !self.dirty {
            return Ok(&self.plan);
        }
        if self.entries.len() > MAX_SYSTEMS {
            return Err(BuildError::TooMany);
        }
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        let mut accesses = Vec::with_capacity(self.entries.len());
        for (i, entry) in self.entries.iter_mut().enumerate() {
            let count = seen.entry(entry.name.clone()).or_insert(0);
            *count += 1;
            let key = format!("{}/{}#{count}", self.name, entry.name);
            let failure = |message| BuildError::System { name: entry.name.clone(), message };
            if entry.ready && same {
                accesses.push(self.accesses[i].clone());
                continue;
            }
            let mut all = entry.system.init(world, i as u32, &key).map_err(failure)?;
            for (c, condition) in entry.conditions.iter_mut().enumerate() {
                let access =
                    condition.init(world, i as u32, &format!("{key}/if{c}")).map_err(failure)?;
                if access.commands {
                    return Err(failure("a run condition has commands".to_owned()));
                }
                // What a condition looks at is looked at by the system, as far as order goes.
                all.add(access);
            }
            accesses.push(all);
            entry.ready = true;
        }
        let mut constraints = Vec::new();
        for (i, entry) in self.entries.iter().enumerate() {
            for wish in &entry.wishes {
                self.expand(&entry.name, &[i as u32], wish, &mut constraints)?;
            }
        }
        for (name, config) in &self.sets {
            let members = self.members(name);
            for wish in &config.wishes {
                self.expand(name, &members, wish, &mut constraints)?;
            }
        }
        let names: Vec<String> = self.entries.iter().map(|e| e.name.clone()).collect();
        if let Some(watch) = &self.watch {
            watch.rename(names.iter().cloned());
        }
        self.plan = plan::build(&names, &accesses, &constraints, &|c| describe_conflict(world, c))
            .map_err(BuildError::Cycle)?;
        self.accesses = accesses;
        self.wave_cost = vec![0; self.plan.waves.len()];
        self.built_for = Some(world.token.clone());
        self.dirty = false;
        self.conflict_names = self
            .conflicts()
            .into_iter()
            .map(|(_, _, c)| (c, describe_conflict(world, c)))
            .collect();
        Ok(&self.plan)
    }

    /// All members of a set, sets in sets included.
    fn members(&self, set: &str) -> Vec<u32> {
        let inside = |sets: &[String]| {
            let mut work: Vec<&str> = sets.iter().map(String::as_str).collect();
            let mut seen: Vec<&str> = Vec::new();
            while let Some(s) = work.pop() {
                if s == set {
                    return true;
                }
                if !seen.contains(&s) {
                    seen.push(s);
                    if let Some(config) = self.sets.get(s) {
                        work.extend(config.sets.iter().map(String::as_str));
                    }
                }
            }
            false
        };
        (0..self.entries.len() as u32).filter(|&i| inside(&self.entries[i as usize].sets)).collect()
    }

    fn expand(
        &self,
        of: &str,
        here: &[u32],
        wish: &Wish,
        out: &mut Vec<Edge>,
    ) -> Result<(), BuildError> {
        let systems: Vec<u32> = (0..self.entries.len() as u32)
            .filter(|&i| self.entries[i as usize].name == wish.name)
            .collect();
        let (there, is_set) = if systems.is_empty() {
            let members = self.members(&wish.name);
            if members.is_empty() && !self.sets.contains_key(&wish.name) {
                return Err(BuildError::Unknown { of: of.to_owned(), name: wish.name.clone() });
            }
            (members, true)
        } else {
            (systems, false)
        };
        let of_set = here.len() != 1 || self.entries[here[0] as usize].name != of;
        let strength = match (wish.preference, is_set || of_set) {
            (true, _) => Strength::Preference,
            (false, true) => Strength::Set,
            (false, false) => Strength::System,
        };
        let verb = match (wish.preference, wish.before) {
            (true, _) => "prefers to run before",
            (false, true) => "is declared before",
            (false, false) => "is declared after",
        };
        let kind = if is_set { "the set " } else { "" };
        let own = if of_set { "the set " } else { "" };
        let cause = format!("{own}{of} {verb} {kind}{}", wish.name);
        for &a in here {
            for &b in &there {
                if a != b {
                    let (from, to) = if wish.before { (a, b) } else { (b, a) };
                    out.push(Edge { from, to, strength, cause: cause.clone() });
                }
            }
        }
        Ok(())
    }

    /// Conflicting pairs that no constraint orders; the first of a pair runs first, in every mode.
    #[must_use]
    pub fn ambiguities(&self) -> Vec<Ambiguity> {
        plan::ambiguities(&self.plan, &self.accesses)
    }
    /// Systems of a wave that write a component (by name) or record commands; all of the wave's when nothing narrows it down.
    pub(crate) fn writers(&self, wave: u32, component: Option<&str>, world: &World) -> Vec<String> {
        let members = self.plan.waves.get(wave as usize).map_or(&[][..], Vec::as_slice);
        let writes = |&i: &u32| {
            let access = &self.accesses[i as usize];
            let hit =
                |c: &crate::ComponentId| Some(world.registry.info(*c).value.name) == component;
            access.exclusive
                || access.queries.iter().any(|q| q.writes.iter().any(hit))
                || access
                    .resource_writes
                    .iter()
                    .any(|&r| Some(world.resources.cells[r as usize].name) == component)
        };
        let name = |&i: &u32| self.entries[i as usize].name.clone();
        let exact: Vec<String> = members.iter().filter(|i| writes(i)).map(name).collect();
        if exact.is_empty() { members.iter().map(name).collect() } else { exact }
    }
    /// All conflicting pairs.
    pub(crate) fn conflicts(&self) -> Vec<(u32, u32, Conflict)> {
        let mut out = Vec::new();
        if self.accesses.len() > 512 {
            // The list is for people; nobody reads a quarter of a million lines.
            return out;
        }
        for i in 0..self.accesses.len() {
            for j in i + 1..self.accesses.len() {
                if let Some(c) = self.accesses[i].conflict(&self.accesses[j]) {
                    out.push((i as u32, j as u32, c));
                }
            }
        }
        out
    }
}

/// The words for a conflict.
pub(crate) fn describe_conflict(world: &World, conflict: Conflict) -> String {
    match conflict {
        Conflict::Exclusive => "exclusive access to the world".to_owned(),
        Conflict::Component(c) => format!("the component {}", world.registry.info(c).value.name),
        Conflict::Resource(r) => {
            format!("the resource {}", world.resources.cells[r as usize].name)
        }
    }
}

/// Constraints of one system.
pub struct SystemConfig<'a> {
    entry: &'a mut Entry,
}

impl std::fmt::Debug for SystemConfig<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SystemConfig({})", self.entry.name)
    }
}

impl SystemConfig<'_> {
    /// Gives the system another name than its function's.
    pub fn name(self, name: &str) -> Self {
        name.clone_into(&mut self.entry.name);
        self
    }
    fn wish(self, name: &str, before: bool, preference: bool) -> Self {
        self.entry.wishes.push(Wish { name: name.to_owned(), before, preference });
        self
    }
    /// Runs before a system or all systems of a set, and its commands land before.
    pub fn before(self, name: &str) -> Self {
        self.wish(name, true, false)
    }
    /// Runs after a system or all systems of a set, and sees what their commands did.
    pub fn after(self, name: &str) -> Self {
        self.wish(name, false, false)
    }
    /// Runs before, unless a stronger constraint says otherwise.
    pub fn prefer_before(self, name: &str) -> Self {
        self.wish(name, true, true)
    }
    /// Is a member of a set.
    pub fn in_set(self, name: &str) -> Self {
        self.entry.sets.push(name.to_owned());
        self
    }
    /// Runs only in frames where the condition holds, asked at the start of its wave. Several conditions: all must hold.
    pub fn run_if<M>(self, condition: impl IntoSystem<M, Out = bool>) -> Self {
        self.entry.conditions.push(condition.into_system());
        self
    }
}

/// Constraints of one set.
#[derive(Debug)]
pub struct SetHandle<'a> {
    config: &'a mut SetConfig,
}

impl SetHandle<'_> {
    /// All members run before a system or set.
    pub fn before(self, name: &str) -> Self {
        self.config.wishes.push(Wish { name: name.to_owned(), before: true, preference: false });
        self
    }
    /// All members run after a system or set.
    pub fn after(self, name: &str) -> Self {
        self.config.wishes.push(Wish { name: name.to_owned(), before: false, preference: false });
        self
    }
    /// The set is a member of another.
    pub fn in_set(self, name: &str) -> Self {
        self.config.sets.push(name.to_owned());
        self
    }
}
