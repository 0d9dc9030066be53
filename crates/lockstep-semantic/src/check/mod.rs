//! The level checks, in the order in which the names were resolved.
//!
//! Goes over the resolved expressions once (recursive definitions twice or more, until nothing
//! changes), writes down every expression's level, and reports what SANY reports: operators
//! applied to arguments that are too high, actions and temporal formulas that do not mix,
//! instances whose substitutions do not fit.

mod expr;

use std::rc::Rc;

use lockstep_syntax::ast::{Ident, Name};
use lockstep_syntax::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::builtins::{self};
use crate::hir::{
    Argument, DeclKind, DefinitionId, DefinitionKind, DefinitionRef, ExprId, InstanceId, Level,
    LocalId, ModuleId, Operator, OperatorArgument,
};
use crate::levels::{Actual, Broken, Info, OpInfo, Param, Role};
use crate::resolve::Resolver;

/// Something to check once its names are known.
#[derive(Clone, Debug)]
pub(crate) enum Check {
    /// Definitions that may mention each other.
    Definitions(Vec<DefinitionId>),
    /// An assumption with its whole text.
    Assume(ExprId, Span),
    /// An expression outside of definitions.
    Expr(ExprId),
    /// The set of a NEW.
    NewBound(ExprId),
    /// A proof step's expression and the goal it works on (for PICK: its body).
    Step(StepCheck, ExprId, ExprId),
    /// An INSTANCE.
    Instance(InstanceId),
    /// A field of a record, whose name may be that of a definition.
    Field { module: ModuleId, field: Ident, value: ExprId },
    /// A module is complete.
    ModuleEnd(ModuleId),
}

/// Which proof step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepCheck {
    /// CASE.
    Case,
    /// TAKE, WITNESS, HAVE.
    Other,
    /// PICK.
    Pick,
}

/// What an INSTANCE must respect.
#[derive(Clone, Debug, Default)]
struct ModuleLevels {
    /// No variables, and nothing above constant level.
    constant: bool,
    /// The constraints of all its definitions and facts.
    info: Info,
}

/// Runs all checks.
pub(crate) fn run(resolver: &mut Resolver<'_>) {
    let checks = std::mem::take(&mut resolver.checks);
    let mut checker = Checker {
        definitions: vec![None; resolver.spec.definitions.len()],
        open: Vec::new(),
        modules: vec![ModuleLevels::default(); resolver.spec.modules.len()],
        current: vec![
            ModuleLevels { constant: true, ..Default::default() };
            resolver.spec.modules.len()
        ],
        through: FxHashMap::default(),
        quiet: 0,
        it: resolver,
    };
    for check in checks {
        checker.check(check);
    }
}

struct Checker<'r, 's> {
    it: &'r mut Resolver<'s>,
    definitions: Vec<Option<Rc<Info>>>,
    /// Definitions being computed.
    open: Vec<DefinitionId>,
    modules: Vec<ModuleLevels>,
    /// Levels of modules so far.
    current: Vec<ModuleLevels>,
    /// Definitions seen through an instance without parameters.
    through: FxHashMap<(InstanceId, DefinitionId), Rc<Info>>,
    /// While above 0, nothing is reported.
    quiet: u32,
}

impl Checker<'_, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.quiet == 0 {
            self.it.report(diagnostic);
        }
    }

    fn check(&mut self, check: Check) {
        match check {
            Check::Definitions(group) => self.group(&group),
            Check::Assume(body, span) => {
                let info = self.expr(body);
                if info.level > Level::Constant {
                    self.report(
                        Diagnostic::error("E4206", span, "an assumption must be constant")
                            .label(format!("this one is {}", name_of(info.level)))
                            .note("an assumption may not mention variables")
                            .help("to check a formula of states, make it an invariant"),
                    );
                }
            }
            Check::Expr(body) => {
                self.expr(body);
            }
            Check::NewBound(set) => {
                let info = self.expr(set);
                if info.level == Level::Temporal {
                    let span = self.span(set);
                    self.report(
                        Diagnostic::error("E4356", span, "a temporal formula is used as a set")
                            .label("the set of a NEW identifier"),
                    );
                }
            }
            Check::Step(kind, expr, goal) => self.step(kind, expr, goal),
            Check::Instance(id) => self.instance(id),
            Check::Field { module, field, value } => self.it.field_clash(module, &field, value),
            Check::ModuleEnd(id) => self.module_end(id),
        }
    }

    fn span(&self, id: ExprId) -> Span {
        self.it.spec.expr(id).span
    }

    fn step(&mut self, kind: StepCheck, expr: ExprId, goal: ExprId) {
        let info = self.expr(expr);
        let goal_level = self.expr(goal).level;
        if goal_level != Level::Temporal || info.level == Level::Constant {
            return;
        }
        let span = self.span(expr);
        let goal = self.span(goal);
        let (code, headline) = match kind {
            StepCheck::Case => ("E4353", "the CASE of a temporal goal must be constant"),
            StepCheck::Other => {
                ("E4352", "TAKE, WITNESS and HAVE need a constant when the goal is temporal")
            }
            StepCheck::Pick => {
                ("E4354", "the set of a PICK of a temporal formula must be constant")
            }
        };
        self.report(
            Diagnostic::error(code, span, headline)
                .label(format!("this is {}", name_of(info.level)))
                .also(goal, "this is temporal"),
        );
    }

    /// Computes definitions that may mention each other.
    fn group(&mut self, group: &[DefinitionId]) {
        let recursive = group.iter().any(|id| {
            let it = self.it.spec.definition(*id);
            it.recursive && it.kind == DefinitionKind::Operator
        });
        if recursive {
            self.fixpoint(group);
        }
        for id in group {
            let info = self.compute(*id);
            self.definitions[id.index()] = Some(info);
            self.after_definition(*id);
        }
    }

    fn fixpoint(&mut self, group: &[DefinitionId]) {
        for id in group {
            self.definitions[id.index()] = Some(Rc::new(self.first_guess(*id)));
        }
        // In RECURSIVE LETs nested in each other every level would multiply the passes.
        let n_passes = if self.quiet < 3 { 16 } else { 1 };
        self.quiet += 1;
        // Levels and constraints only grow, and there are few of them.
        for _ in 0..n_passes {
            let mut changed = false;
            for id in group {
                let info = self.compute(*id);
                changed |= self.definitions[id.index()].as_deref() != Some(&*info);
                self.definitions[id.index()] = Some(info);
            }
            if !changed {
                break;
            }
        }
        self.quiet -= 1;
    }

    /// What is assumed of a definition before its body is known.
    fn first_guess(&self, id: DefinitionId) -> Info {
        let mut info = Info::default();
        for local in &self.it.spec.definition(id).params {
            let param = Param::Local(*local);
            info.params.insert(param);
            info.all.insert(param);
        }
        info
    }

    fn compute(&mut self, id: DefinitionId) -> Rc<Info> {
        let body = self.it.spec.definition(id).body;
        self.open.push(id);
        let info = self.expr(body);
        self.open.pop();
        self.it.spec.definitions[id.index()].level = info.level;
        Rc::new(info)
    }

    /// Reports what is wrong with a definition as a whole, and adds it to its module.
    fn after_definition(&mut self, id: DefinitionId) {
        let Some(info) = self.definitions[id.index()].clone() else { return };
        let definition = self.it.spec.definition(id);
        let module = definition.module;
        if definition.recursive && definition.kind == DefinitionKind::Operator {
            let (name, span) = (definition.name.clone(), definition.name_span);
            let params = definition.params.clone();
            for (idx, local) in params.iter().enumerate() {
                if info.max_of(Param::Local(*local)) < Level::Action {
                    let param = self.it.spec.local(*local).span;
                    self.report(
                        Diagnostic::error(
                            "E4290",
                            span,
                            format!(
                                "argument {} of recursive operator `{name}` is primed",
                                idx + 1
                            ),
                        )
                        .label("an application inside of its definition could prime it twice")
                        .also(param, "this parameter"),
                    );
                }
            }
        }
        let current = &mut self.current[module.index()];
        current.constant &= info.level == Level::Constant;
        let own = self.it.spec.definition(id).params.clone();
        let mut kept = Info::default();
        let is_own = |param: Param| matches!(param, Param::Local(it) if own.contains(&it));
        for it in info.max.iter().filter(|it| !is_own(it.0)) {
            kept.max.insert(it);
        }
        for it in info.accepts.iter().filter(|it| !is_own(it.0)) {
            kept.accepts.insert(it);
        }
        for it in info.takes.iter().filter(|it| !is_own(it.0) && !is_own(it.2)) {
            kept.takes.insert(it);
        }
        for param in info.all.iter().filter(|it| !is_own(*it)) {
            kept.all.insert(param);
        }
        self.current[module.index()].info.constrain(&kept);
    }

    /// The info of a definition in its own module.
    fn definition(&mut self, id: DefinitionId) -> Rc<Info> {
        if id.index() >= self.definitions.len() {
            self.definitions.resize(id.index() + 1, None);
        }
        if let Some(info) = &self.definitions[id.index()] {
            return Rc::clone(info);
        }
        if self.open.contains(&id) {
            return Rc::new(self.first_guess(id));
        }
        let info = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.compute(id));
        self.definitions[id.index()] = Some(Rc::clone(&info));
        info
    }

    fn module_end(&mut self, id: ModuleId) {
        let mut levels = std::mem::take(&mut self.current[id.index()]);
        let decls = self.it.modules[id.index()].decls.clone();
        levels.constant &= decls.iter().all(|it| self.it.spec.decl(*it).kind == DeclKind::Constant);
        for extended in self.it.modules[id.index()].extended.clone() {
            let other = &self.modules[extended.index()];
            levels.constant &= other.constant;
            levels.info.constrain(&other.info);
        }
        self.modules[id.index()] = levels;
    }

    /// Checks the substitutions of an INSTANCE.
    fn instance(&mut self, id: InstanceId) {
        let instance = self.it.spec.instance(id).clone();
        let bound = self.substitutions(id, &[]);
        let target = self.modules[instance.target.index()].clone();
        let module = self.it.spec.module(instance.target).name.clone();
        for (param, actual) in &bound {
            let Param::Decl(decl) = param else { continue };
            let decl = self.it.spec.decl(*decl).clone();
            if let Actual::Op(op) = actual
                && let Some(position) = op.opaque_position()
            {
                self.report(
                        Diagnostic::error(
                            "E4244",
                            instance.span,
                            format!("the operator put for `{}` of module `{module}` does not respect equality", decl.name),
                        )
                        .label(format!("its argument {} is primed or inside a temporal operator", position + 1))
                        .also(decl.span, format!("`{}` is declared here", decl.name))
                        .note("for an operator put for a CONSTANT, e = f must imply Op(e) = Op(f) (Leibniz' rule)"),
                    );
            }
            if target.constant {
                continue;
            }
            let max = match decl.kind {
                DeclKind::Constant => Level::Constant,
                DeclKind::Variable => Level::State,
            };
            if actual.level() > max {
                self.too_high(&instance.span, &module, &decl.name, decl.span, actual.level(), max);
            }
        }
        let mut broken = Vec::new();
        target.info.substitute(&bound, &mut |it| broken.push(it));
        for it in broken {
            self.broken_instance(it, instance.span, &module);
        }
    }

    fn too_high(
        &mut self,
        span: &Span,
        module: &Name,
        name: &Name,
        declared: Span,
        level: Level,
        max: Level,
    ) {
        self.report(
            Diagnostic::error(
                "E4245",
                *span,
                format!("what is put for `{name}` of module `{module}` has too high a level"),
            )
            .label(format!("{} is put for it, at most {} is allowed", a_level(level), a_level(max)))
            .also(declared, format!("`{name}` is declared here")),
        );
    }

    fn broken_instance(&mut self, broken: Broken, span: Span, module: &Name) {
        match broken {
            Broken::TooHigh { param, level, max } => {
                let (name, place) = self.param(param);
                self.too_high(&span, module, &name, place, level, max);
            }
            Broken::Accepts { param, position, max, needed } => {
                let (name, place) = self.param(param);
                self.report(
                    Diagnostic::error(
                        "E4246",
                        span,
                        format!(
                            "the operator put for `{name}` of module `{module}` accepts too little"
                        ),
                    )
                    .label(format!(
                        "its argument {} may be at most {}, but the module gives it {}",
                        position + 1,
                        a_level(max),
                        a_level(needed)
                    ))
                    .also(place, format!("`{name}` is declared here")),
                );
            }
            Broken::Takes { param, position, argument, max, level } => {
                let (name, place) = self.param(param);
                let (argument, other) = self.param(argument);
                self.report(
                    Diagnostic::error(
                        "E4247",
                        span,
                        format!(
                            "what is put for `{argument}` of module `{module}` is too high for what is put for `{name}`"
                        ),
                    )
                    .label(format!(
                        "argument {} of the operator may be at most {}, and gets {}",
                        position + 1,
                        a_level(max),
                        a_level(level)
                    ))
                    .also(place, format!("`{name}` is declared here"))
                    .also(other, format!("`{argument}` is declared here")),
                );
            }
        }
    }

    fn param(&self, param: Param) -> (Name, Span) {
        match param {
            Param::Local(id) => {
                let it = self.it.spec.local(id);
                (it.name.clone(), it.span)
            }
            Param::Decl(id) => {
                let it = self.it.spec.decl(id);
                (it.name.clone(), it.span)
            }
            Param::Slot(_) => (Name::default(), Span::new(lockstep_syntax::FileId(0), 0, 0)),
        }
    }

    /// What an instance puts for declarations and for its own parameters.
    fn substitutions(&mut self, id: InstanceId, args: &[Argument]) -> Vec<(Param, Actual)> {
        let params = self.it.spec.instance(id).params.clone();
        let mut own = Vec::with_capacity(params.len());
        for (local, arg) in params.iter().zip(args) {
            let actual = self.actual(arg);
            own.push((Param::Local(*local), actual));
        }
        let substitutions = self.it.spec.instance(id).substitutions.clone();
        substitutions
            .iter()
            .map(|(decl, arg)| {
                let actual = self.actual(arg);
                let actual = if own.is_empty() {
                    actual
                } else {
                    match actual {
                        Actual::Expr(info) => Actual::Expr(info.substitute(&own, &mut |_| {})),
                        Actual::Op(op) => Actual::Op(OpInfo {
                            body: Rc::new(op.body.substitute(&own, &mut |_| {})),
                            params: op.params,
                        }),
                    }
                };
                (Param::Decl(*decl), actual)
            })
            .collect()
    }

    /// The info of a definition as it is seen through instances.
    fn reference(&mut self, it: &DefinitionRef) -> Rc<Info> {
        let mut info = self.definition(it.definition);
        for (idx, step) in it.path.iter().enumerate().rev() {
            let innermost = idx + 1 == it.path.len();
            let key = (step.instance, it.definition);
            let cacheable = innermost && step.args.is_empty() && self.quiet == 0;
            if cacheable && let Some(known) = self.through.get(&key) {
                info = Rc::clone(known);
                continue;
            }
            let bound = self.substitutions(step.instance, &step.args);
            let mut outer = info.substitute(&bound, &mut |_| {});
            let target = self.it.spec.instance(step.instance).target;
            if !self.modules[target.index()].constant {
                for (param, actual) in &bound {
                    let Param::Decl(decl) = param else { continue };
                    let max = match self.it.spec.decl(*decl).kind {
                        DeclKind::Constant => Level::Constant,
                        DeclKind::Variable => Level::State,
                    };
                    if let Actual::Expr(actual) = actual {
                        outer.limit(actual, max);
                    }
                }
            }
            info = Rc::new(outer);
            if cacheable {
                self.through.insert(key, Rc::clone(&info));
            }
        }
        info
    }

    /// An argument's info.
    fn actual(&mut self, arg: &Argument) -> Actual {
        match arg {
            Argument::Expr(id) => Actual::Expr(self.expr(*id)),
            Argument::Operator(OperatorArgument::Lambda { params, body, .. }) => {
                let body = self.expr(*body);
                let params = params.iter().map(|it| Param::Local(*it)).collect();
                Actual::Op(OpInfo { params, body: Rc::new(body) })
            }
            Argument::Operator(OperatorArgument::Named(op)) => Actual::Op(self.operator(op)),
        }
    }

    /// An operator as a function of levels.
    fn operator(&mut self, op: &Operator) -> OpInfo {
        match op {
            Operator::Builtin(builtin) => {
                let n = builtins::arity(*builtin) as u32;
                let levels = builtins::levels(*builtin);
                let params: Vec<Param> = (0..n).map(Param::Slot).collect();
                let mut body = Info::of(levels.own);
                for param in &params {
                    body.all.insert(*param);
                    if levels.passes {
                        body.params.insert(*param);
                    }
                    if levels.max < Level::Temporal {
                        body.max.insert((*param, levels.max));
                    }
                    if !levels.leibniz {
                        body.opaque.insert(*param);
                    }
                }
                OpInfo { params, body: Rc::new(body) }
            }
            Operator::Definition(it) => {
                let body = self.reference(it);
                let params = self.it.spec.definition(it.definition).params.clone();
                OpInfo { params: params.into_iter().map(Param::Local).collect(), body }
            }
            Operator::Decl(id) => {
                let decl = self.it.spec.decl(*id);
                let level = match decl.kind {
                    DeclKind::Constant => Level::Constant,
                    DeclKind::Variable => Level::State,
                };
                Self::undefined(Param::Decl(*id), level, decl.arity)
            }
            Operator::Local(id) => {
                let level = self.local_level(*id);
                Self::undefined(Param::Local(*id), level, self.it.spec.local(*id).arity)
            }
        }
    }

    /// An operator of which nothing is known but its level and number of arguments.
    fn undefined(op: Param, level: Level, arity: u32) -> OpInfo {
        let params: Vec<Param> = (0..arity).map(Param::Slot).collect();
        let mut body = Info::param(op, level);
        for (idx, param) in params.iter().enumerate() {
            body.params.insert(*param);
            body.all.insert(*param);
            body.takes.insert((op, idx as u32, *param));
        }
        OpInfo { params, body: Rc::new(body) }
    }

    fn local_level(&self, id: LocalId) -> Level {
        match self.it.roles[id.index()] {
            Role::Param | Role::Bound => Level::Constant,
            Role::New(level) => level,
        }
    }
}

/// A level as an adjective.
fn name_of(level: Level) -> &'static str {
    match level {
        Level::Constant => "constant",
        Level::State => "of state level",
        Level::Action => "of action level",
        Level::Temporal => "temporal",
    }
}

/// A level as a noun.
fn a_level(level: Level) -> &'static str {
    match level {
        Level::Constant => "a constant",
        Level::State => "a state expression",
        Level::Action => "an action",
        Level::Temporal => "a temporal formula",
    }
}
