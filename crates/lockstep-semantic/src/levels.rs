//! The level of an expression as a function of the levels of what it depends on.
//!
//! An operator has no single level: `F(x) == x` is as high as its argument, and `F(x) == x'` may
//! only be applied to arguments of state level. So what is computed bottom-up is an [`Info`]: a
//! level for constant parameters, the parameters that may raise it, and the constraints they must
//! meet. Parameters are operator parameters and the declarations of a module, which an INSTANCE
//! replaces. Operator parameters are constrained through the arguments they are applied to.
//! (*Specifying Systems* §17.2 gives the levels of the built-in operators; the TLA+ version 2 guide
//! describes Leibniz operators.)
//!
//! Invariant: every set is sorted and without duplicates; they are shared, because most
//! definitions pass on what they got.

use std::rc::Rc;

use crate::hir::{DeclId, Level, LocalId};

/// What kind of local name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A parameter of an operator, an instance or a LAMBDA.
    Param,
    /// Bound by a quantifier and the like: constant.
    Bound,
    /// Declared by ASSUME/PROVE, TAKE or PICK, with its level.
    New(Level),
}

/// Something whose level is not known yet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Param {
    Local(LocalId),
    Decl(DeclId),
    /// The argument at a position of an operator that has no definition.
    Slot(u32),
}

/// A sorted, shared set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set<T>(Option<Rc<Vec<T>>>);

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Ord + Copy> Set<T> {
    pub(crate) fn one(it: T) -> Self {
        Self(Some(Rc::new(vec![it])))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flat_map(|it| it.iter().copied())
    }

    pub(crate) fn contains(&self, it: &T) -> bool {
        self.0.as_ref().is_some_and(|set| set.binary_search(it).is_ok())
    }

    pub(crate) fn insert(&mut self, it: T) {
        match &mut self.0 {
            None => *self = Self::one(it),
            Some(set) => {
                if let Err(idx) = set.binary_search(&it) {
                    Rc::make_mut(set).insert(idx, it);
                }
            }
        }
    }

    pub(crate) fn union(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        let Some(ours) = &mut self.0 else {
            self.0 = Some(Rc::clone(theirs));
            return;
        };
        if Rc::ptr_eq(ours, theirs) || theirs.iter().all(|it| ours.binary_search(it).is_ok()) {
            return;
        }
        if ours.iter().all(|it| theirs.binary_search(it).is_ok()) {
            *ours = Rc::clone(theirs);
            return;
        }
        let mut all: Vec<T> = ours.iter().chain(theirs.iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        *ours = Rc::new(all);
    }
}

/// What is known of an expression's level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Info {
    /// The level when all parameters are constant.
    pub(crate) level: Level,
    /// Parameters whose level passes to the expression.
    pub(crate) params: Set<Param>,
    /// Highest levels of parameters.
    pub(crate) max: Set<(Param, Level)>,
    /// Operator parameters that must accept, at an argument's position, at least a level.
    pub(crate) accepts: Set<(Param, u32, Level)>,
    /// Operator parameters that must accept, at an argument's position, the level of a parameter.
    pub(crate) takes: Set<(Param, u32, Param)>,
    /// Parameters inside of an operator that breaks Leibniz' rule.
    pub(crate) opaque: Set<Param>,
    /// All parameters that occur.
    pub(crate) all: Set<Param>,
}

/// An operator as a function of argument levels.
#[derive(Clone, Debug)]
pub(crate) struct OpInfo {
    pub(crate) params: Vec<Param>,
    pub(crate) body: Rc<Info>,
}

/// What is put for a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Actual {
    Expr(Info),
    Op(OpInfo),
}

/// A constraint that is not met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    /// What is put for the parameter is too high: its level and the highest allowed.
    TooHigh { param: Param, level: Level, max: Level },
    /// The operator put for the parameter accepts too little at a position.
    Accepts { param: Param, position: u32, max: Level, needed: Level },
    /// The operator put for one parameter is applied to another that is too high for it.
    Takes { param: Param, position: u32, argument: Param, max: Level, level: Level },
}

impl Info {
    /// Nothing but a level.
    pub(crate) fn of(level: Level) -> Self {
        Self { level, ..Self::default() }
    }

    /// A parameter by itself.
    pub(crate) fn param(param: Param, level: Level) -> Self {
        Self { level, params: Set::one(param), all: Set::one(param), ..Self::default() }
    }

    /// Takes over constraints, Leibniz marks and occurrences, but not the level.
    pub(crate) fn constrain(&mut self, other: &Info) {
        self.max.union(&other.max);
        self.accepts.union(&other.accepts);
        self.takes.union(&other.takes);
        self.opaque.union(&other.opaque);
        self.all.union(&other.all);
    }

    /// Takes over everything: the info of an operator that passes its arguments' levels.
    pub(crate) fn join(&mut self, other: &Info) {
        self.level = self.level.max(other.level);
        self.params.union(&other.params);
        self.constrain(other);
    }

    /// Whatever raises this expression must stay at or below `max`.
    pub(crate) fn limit(&mut self, of: &Info, max: Level) {
        if max < Level::Temporal {
            for param in of.params.iter() {
                self.max.insert((param, max));
            }
        }
    }

    /// The highest level allowed for a parameter.
    pub(crate) fn max_of(&self, param: Param) -> Level {
        self.max
            .iter()
            .filter(|(it, _)| *it == param)
            .map(|(_, level)| level)
            .min()
            .unwrap_or(Level::Temporal)
    }

    /// Whether any of the parameters occurs.
    fn mentions(&self, bound: &[(Param, Actual)]) -> bool {
        bound.iter().any(|(param, _)| self.all.contains(param))
            || self
                .takes
                .iter()
                .any(|(op, _, arg)| bound.iter().any(|(param, _)| *param == op || *param == arg))
    }

    /// The info with parameters replaced; constraints that are broken are handed to `report`.
    pub(crate) fn substitute(
        &self,
        bound: &[(Param, Actual)],
        report: &mut dyn FnMut(Broken),
    ) -> Info {
        if !self.mentions(bound) {
            return self.clone();
        }
        let actual =
            |param: Param| bound.iter().find(|(it, _)| *it == param).map(|(_, actual)| actual);
        let mut result = Info::of(self.level);
        for param in self.params.iter() {
            match actual(param) {
                None => result.params.insert(param),
                Some(it) => {
                    result.level = result.level.max(it.level());
                    for param in it.params().iter() {
                        if !it.own(param) {
                            result.params.insert(param);
                        }
                    }
                }
            }
        }
        for param in self.all.iter() {
            match actual(param) {
                None => result.all.insert(param),
                Some(it) => {
                    for param in it.all().iter().filter(|param| !it.own(*param)) {
                        result.all.insert(param);
                    }
                    if let Actual::Op(op) = it {
                        result.keep_constraints(&op.body, &op.params);
                    } else if let Actual::Expr(info) = it {
                        result.keep_constraints(info, &[]);
                    }
                }
            }
        }
        for param in self.opaque.iter() {
            match actual(param) {
                None => result.opaque.insert(param),
                Some(it) => {
                    for param in it.all().iter().filter(|param| !it.own(*param)) {
                        result.opaque.insert(param);
                    }
                }
            }
        }
        for (param, max) in self.max.iter() {
            match actual(param) {
                None => result.max.insert((param, max)),
                Some(it) => {
                    if it.level() > max {
                        report(Broken::TooHigh { param, level: it.level(), max });
                    }
                    for param in it.params().iter().filter(|param| !it.own(*param)) {
                        result.max.insert((param, max));
                    }
                }
            }
        }
        for (param, position, needed) in self.accepts.iter() {
            match actual(param) {
                None => result.accepts.insert((param, position, needed)),
                Some(Actual::Expr(_)) => {}
                Some(Actual::Op(op)) => {
                    let max = op.max(position);
                    if max < needed {
                        report(Broken::Accepts { param, position, max, needed });
                    }
                    for (inner, at) in op.passes_to(position) {
                        result.accepts.insert((inner, at, needed));
                    }
                }
            }
        }
        for (param, position, argument) in self.takes.iter() {
            self.substitute_takes(param, position, argument, &actual, &mut result, report);
        }
        result
    }

    fn substitute_takes<'a>(
        &self,
        param: Param,
        position: u32,
        argument: Param,
        actual: &dyn Fn(Param) -> Option<&'a Actual>,
        result: &mut Info,
        report: &mut dyn FnMut(Broken),
    ) {
        match (actual(param), actual(argument)) {
            (None | Some(Actual::Expr(_)), None) => {
                result.takes.insert((param, position, argument));
            }
            (None | Some(Actual::Expr(_)), Some(it)) => {
                result.accepts.insert((param, position, it.level()));
                for argument in it.params().iter().filter(|param| !it.own(*param)) {
                    result.takes.insert((param, position, argument));
                }
            }
            (Some(Actual::Op(op)), None) => {
                let max = op.max(position);
                if max < Level::Temporal {
                    result.max.insert((argument, max));
                }
                for (inner, at) in op.passes_to(position) {
                    result.takes.insert((inner, at, argument));
                }
            }
            (Some(Actual::Op(op)), Some(it)) => {
                let max = op.max(position);
                let level = it.level();
                if level > max {
                    report(Broken::Takes { param, position, argument, max, level });
                }
                for (inner, at) in op.passes_to(position) {
                    result.accepts.insert((inner, at, level));
                }
                for argument in it.params().iter().filter(|param| !it.own(*param)) {
                    if max < Level::Temporal {
                        result.max.insert((argument, max));
                    }
                    for (inner, at) in op.passes_to(position) {
                        result.takes.insert((inner, at, argument));
                    }
                }
            }
        }
    }

    /// Constraints of something substituted, except those on its own parameters.
    fn keep_constraints(&mut self, other: &Info, own: &[Param]) {
        for (param, max) in other.max.iter().filter(|it| !own.contains(&it.0)) {
            self.max.insert((param, max));
        }
        for it in other.accepts.iter().filter(|it| !own.contains(&it.0)) {
            self.accepts.insert(it);
        }
        for it in other.takes.iter().filter(|it| !own.contains(&it.0) && !own.contains(&it.2)) {
            self.takes.insert(it);
        }
        for it in other.opaque.iter().filter(|it| !own.contains(it)) {
            self.opaque.insert(it);
        }
    }
}

impl OpInfo {
    /// The highest level allowed at a position.
    pub(crate) fn max(&self, position: u32) -> Level {
        match self.params.get(position as usize) {
            Some(param) => self.body.max_of(*param),
            None => Level::Temporal,
        }
    }

    /// Operator parameters that get this argument in turn, and at which position.
    fn passes_to(&self, position: u32) -> Vec<(Param, u32)> {
        let Some(own) = self.params.get(position as usize) else { return Vec::new() };
        self.body
            .takes
            .iter()
            .filter(|(op, _, argument)| argument == own && !self.params.contains(op))
            .map(|(op, at, _)| (op, at))
            .collect()
    }

    /// The first position at which Leibniz' rule fails.
    pub(crate) fn opaque_position(&self) -> Option<usize> {
        self.params.iter().position(|param| self.body.opaque.contains(param))
    }
}

impl Actual {
    pub(crate) fn level(&self) -> Level {
        match self {
            Actual::Expr(info) => info.level,
            Actual::Op(op) => op.body.level,
        }
    }

    fn params(&self) -> &Set<Param> {
        match self {
            Actual::Expr(info) => &info.params,
            Actual::Op(op) => &op.body.params,
        }
    }

    fn all(&self) -> &Set<Param> {
        match self {
            Actual::Expr(info) => &info.all,
            Actual::Op(op) => &op.body.all,
        }
    }

    fn own(&self, param: Param) -> bool {
        match self {
            Actual::Expr(_) => false,
            Actual::Op(op) => op.params.contains(&param),
        }
    }
}
