//! The levels of expressions, and what is wrong where they meet.

use lockstep_syntax::ast::Name;
use lockstep_syntax::{Diagnostic, Span};

use super::{Checker, a_level, name_of};
use crate::builtins::{self, spelling};
use crate::hir::{
    Argument, Builtin, ExceptStep, ExprId, ExprKind, Level, Operator, OperatorArgument,
};
use crate::levels::{Actual, Broken, Info, OpInfo, Param, Role, Set};

impl Checker<'_, '_> {
    /// The info of an expression; its level is written down.
    pub(super) fn expr(&mut self, id: ExprId) -> Info {
        let info = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.expr_inner(id));
        self.it.spec.exprs[id.index()].level = info.level;
        info
    }

    fn expr_inner(&mut self, id: ExprId) -> Info {
        let span = self.span(id);
        // The kinds are cheap to move out and back, which spares a copy.
        let kind = std::mem::replace(&mut self.it.spec.exprs[id.index()].kind, ExprKind::Error);
        let info = self.kind(id, &kind, span);
        self.it.spec.exprs[id.index()].kind = kind;
        info
    }

    fn kind(&mut self, id: ExprId, kind: &ExprKind, span: Span) -> Info {
        match kind {
            ExprKind::Error | ExprKind::Integer(_) | ExprKind::Decimal(_) | ExprKind::String(_) => {
                Info::default()
            }
            ExprKind::Local(local) => match self.it.roles[local.index()] {
                Role::Param => Info::param(Param::Local(*local), Level::Constant),
                Role::Bound => Info::default(),
                Role::New(level) => Info::of(level),
            },
            ExprKind::Apply { op, args } => self.apply(op, args, span),
            ExprKind::And(items) => self.logical("/\\", items, span),
            ExprKind::Or(items) => self.logical("\\/", items, span),
            ExprKind::FunctionApply { function, args } => {
                let items: Vec<ExprId> =
                    std::iter::once(*function).chain(args.iter().copied()).collect();
                self.plain("function application", &items, span)
            }
            ExprKind::Field { record, .. } => self.plain(".", &[*record], span),
            ExprKind::Tuple(items) => self.plain("<<…>>", items, span),
            ExprKind::SetEnum(items) => self.plain("{…}", items, span),
            ExprKind::SetFilter { binder, body } => {
                let sets = self.sets(std::slice::from_ref(binder));
                self.binding("{x \\in S : p}", &sets, *body, Level::Action, span)
            }
            ExprKind::SetMap { binders, body } => {
                let sets = self.sets(binders);
                self.binding("{e : x \\in S}", &sets, *body, Level::Action, span)
            }
            ExprKind::Function { binders, body } => {
                let sets = self.sets(binders);
                self.binding("[x \\in S |-> e]", &sets, *body, Level::Temporal, span)
            }
            ExprKind::Record(fields) => {
                let mut info = Info::default();
                for (_, value) in fields {
                    let value = self.expr(*value);
                    info.join(&value);
                }
                info
            }
            ExprKind::RecordSet(fields) => {
                let items: Vec<ExprId> = fields.iter().map(|(_, set)| *set).collect();
                self.plain("[a : S]", &items, span)
            }
            ExprKind::Except { base, updates } => {
                let mut items = vec![*base];
                for update in updates {
                    for step in &update.path {
                        if let ExceptStep::Index(args) = step {
                            items.extend(args);
                        }
                    }
                    items.push(update.value);
                }
                self.plain("EXCEPT", &items, span)
            }
            ExprKind::Quantified { for_all, binders, body } => {
                let sets = self.sets(binders);
                let name = if *for_all { "\\A" } else { "\\E" };
                let info = self.binding(name, &sets, *body, Level::Temporal, span);
                if self.it.spec.expr(*body).level == Level::Temporal {
                    self.action_bounds(&sets, *body);
                }
                info
            }
            ExprKind::Unbounded { body, .. } => self.expr(*body),
            ExprKind::TemporalQuantified { body, .. } => {
                let mut info = self.expr(*body);
                info.level = Level::Temporal;
                info
            }
            ExprKind::Choose { set, body, .. } => {
                let sets: Vec<(ExprId, Info)> =
                    set.iter().map(|set| (*set, self.expr(*set))).collect();
                self.binding("CHOOSE", &sets, *body, Level::Action, span)
            }
            ExprKind::If { condition, then, otherwise } => {
                let mut info = self.expr(*condition);
                for part in [*then, *otherwise] {
                    let part = self.expr(part);
                    info.join(&part);
                }
                info
            }
            ExprKind::Case { arms, other } => {
                let mut info = Info::default();
                for arm in arms {
                    for part in [arm.guard, arm.value] {
                        let part = self.expr(part);
                        info.join(&part);
                    }
                }
                if let Some(other) = other {
                    let other = self.expr(*other);
                    info.join(&other);
                }
                info
            }
            ExprKind::Let { definitions, body } => {
                self.group(definitions);
                let mut info = self.expr(*body);
                for definition in definitions {
                    if let Some(part) = self.definitions[definition.index()].clone() {
                        let own = self.it.spec.definition(*definition).params.clone();
                        let own: Vec<(Param, Actual)> = own
                            .into_iter()
                            .map(|it| (Param::Local(it), Actual::Expr(Info::default())))
                            .collect();
                        let part = part.substitute(&own, &mut |_| {});
                        info.constrain(&part);
                    }
                }
                info
            }
            ExprKind::BoxAction { action, subscript } => {
                self.step_action("[A]_v", *action, *subscript, Level::Action, span)
            }
            ExprKind::AngleAction { action, subscript } => {
                self.step_action("<<A>>_v", *action, *subscript, Level::Action, span)
            }
            ExprKind::Fairness { strong, subscript, action } => {
                let name = if *strong { "SF_v(A)" } else { "WF_v(A)" };
                self.step_action(name, *action, *subscript, Level::Temporal, span)
            }
            ExprKind::Label { body, .. } => self.expr(*body),
            ExprKind::AssumeProve => {
                let parts = self.it.assume_prove_parts(id);
                let mut info = Info::default();
                for part in parts {
                    let part = self.expr(part);
                    info.join(&part);
                }
                info
            }
        }
    }

    fn sets(&mut self, binders: &[crate::hir::Binder]) -> Vec<(ExprId, Info)> {
        binders.iter().map(|binder| (binder.set, self.expr(binder.set))).collect()
    }

    /// An operator that takes arguments up to action level and passes their level on.
    fn plain(&mut self, name: &str, items: &[ExprId], span: Span) -> Info {
        let mut info = Info::default();
        for (idx, item) in items.iter().enumerate() {
            let part = self.expr(*item);
            if part.level > Level::Action {
                self.argument_too_high(
                    name,
                    idx,
                    part.level,
                    Level::Action,
                    span,
                    self.span(*item),
                );
            }
            info.join(&part);
            info.limit(&part, Level::Action);
        }
        info
    }

    fn argument_too_high(
        &mut self,
        name: &str,
        idx: usize,
        level: Level,
        max: Level,
        span: Span,
        argument: Span,
    ) {
        let mut diagnostic = too_high_argument(name, idx, (level, max), span, Some(argument));
        if name == "'" && level == Level::Action {
            diagnostic = diagnostic.help("an expression cannot be primed twice");
        }
        self.report(diagnostic);
    }

    fn binding(
        &mut self,
        name: &str,
        sets: &[(ExprId, Info)],
        body: ExprId,
        body_max: Level,
        span: Span,
    ) -> Info {
        let mut info = Info::default();
        for (set, part) in sets {
            if part.level > Level::Action {
                let place = self.span(*set);
                self.report(
                    Diagnostic::error(
                        "E4315",
                        span,
                        format!("the set that `{name}` ranges over is temporal"),
                    )
                    .label("bound here")
                    .also(place, "this is temporal"),
                );
            }
            info.join(part);
            info.limit(part, Level::Action);
        }
        let part = self.expr(body);
        if part.level > body_max {
            self.argument_too_high(name, 0, part.level, body_max, span, self.span(body));
        }
        info.join(&part);
        info.limit(&part, body_max);
        info
    }

    /// A quantified temporal formula must not range over a set of action level.
    fn action_bounds(&mut self, sets: &[(ExprId, Info)], body: ExprId) {
        for (set, part) in sets {
            if part.level == Level::Action {
                let place = self.span(*set);
                let body = self.span(body);
                self.report(
                    Diagnostic::error(
                        "E4314",
                        place,
                        "a quantified temporal formula ranges over a set of action level",
                    )
                    .label("this set mentions primed variables")
                    .also(body, "this is temporal"),
                );
            }
        }
    }

    fn step_action(
        &mut self,
        name: &str,
        action: ExprId,
        subscript: ExprId,
        level: Level,
        span: Span,
    ) -> Info {
        let mut info = Info::of(level);
        for (idx, (part, max)) in
            [(action, Level::Action), (subscript, Level::State)].into_iter().enumerate()
        {
            let place = self.span(part);
            let part = self.expr(part);
            if part.level > max {
                self.argument_too_high(name, idx, part.level, max, span, place);
            }
            info.constrain(&part);
            info.limit(&part, max);
            info.opaque.union(&part.all);
        }
        info
    }

    /// `/\`, `\/`, `=>`, `<=>`: an action and a temporal formula do not mix.
    fn logical(&mut self, name: &str, items: &[ExprId], span: Span) -> Info {
        let mut info = Info::default();
        let mut action = None;
        let mut temporal = None;
        for item in items {
            let part = self.expr(*item);
            match part.level {
                Level::Action => action = action.or(Some(*item)),
                Level::Temporal => temporal = temporal.or(Some(*item)),
                Level::Constant | Level::State => {}
            }
            info.join(&part);
        }
        if let (Some(action), Some(temporal)) = (action, temporal) {
            let (action, temporal) = (self.span(action), self.span(temporal));
            self.report(
                Diagnostic::error(
                    "E4313",
                    span,
                    format!("`{name}` joins an action and a temporal formula"),
                )
                .label("joined here")
                .also(action, "this is an action")
                .also(temporal, "this is temporal")
                .help("write an action inside a temporal formula as `[][A]_v`"),
            );
        }
        info
    }

    fn apply(&mut self, op: &Operator, args: &[Argument], span: Span) -> Info {
        match op {
            Operator::Builtin(builtin) => self.apply_builtin(*builtin, args, span),
            Operator::Decl(_) | Operator::Definition(_) | Operator::Local(_) => {
                let op_info = self.operator(op);
                if args.is_empty() && op_info.params.is_empty() {
                    return (*op_info.body).clone();
                }
                let bound: Vec<(Param, Actual)> = op_info
                    .params
                    .iter()
                    .copied()
                    .zip(args)
                    .map(|(param, arg)| (param, self.actual(arg)))
                    .collect();
                let mut broken = Vec::new();
                let info = op_info.body.substitute(&bound, &mut |it| broken.push(it));
                for it in broken {
                    self.broken_application(it, op, &op_info, args, span);
                }
                info
            }
        }
    }

    fn broken_application(
        &mut self,
        broken: Broken,
        op: &Operator,
        op_info: &OpInfo,
        args: &[Argument],
        span: Span,
    ) {
        let (name, defined) = match op {
            Operator::Builtin(it) => (Name::new_static(spelling(*it)), None),
            Operator::Decl(id) => {
                let it = self.it.spec.decl(*id);
                (it.name.clone(), Some(it.span))
            }
            Operator::Definition(it) => {
                let it = self.it.spec.definition(it.definition);
                (it.name.clone(), Some(it.name_span))
            }
            Operator::Local(id) => {
                let it = self.it.spec.local(*id);
                (it.name.clone(), Some(it.span))
            }
        };
        let position =
            |param: Param| op_info.params.iter().position(|it| *it == param).unwrap_or(0);
        let place = |idx: usize| match args.get(idx) {
            Some(Argument::Expr(id)) => Some(self.it.spec.expr(*id).span),
            Some(Argument::Operator(OperatorArgument::Lambda { span, .. })) => Some(*span),
            Some(Argument::Operator(OperatorArgument::Named(_))) | None => None,
        };
        let mut diagnostic = match broken {
            Broken::TooHigh { param, level, max } => {
                let idx = position(param);
                let mut it = too_high_argument(&name, idx, (level, max), span, place(idx));
                if max == Level::State && level == Level::Action {
                    it = it.note(format!(
                        "`{name}` primes this argument, and an expression cannot be primed twice"
                    ));
                }
                it
            }
            Broken::Accepts { param, position: at, max, needed } => {
                let idx = position(param);
                Diagnostic::error(
                    "E4272",
                    span,
                    format!(
                        "the operator given as argument {} of `{name}` accepts too little",
                        idx + 1
                    ),
                )
                .label(format!(
                    "its argument {} may be at most {}, but `{name}` gives it {}",
                    at + 1,
                    a_level(max),
                    a_level(needed)
                ))
            }
            Broken::Takes { param, position: at, argument, max, level } => {
                let (op_idx, idx) = (position(param), position(argument));
                Diagnostic::error(
                    "E4273",
                    span,
                    format!(
                        "argument {} of `{name}` is too high for the operator given as argument {}",
                        idx + 1,
                        op_idx + 1
                    ),
                )
                .label(format!(
                    "argument {} of that operator may be at most {}, and gets {}",
                    at + 1,
                    a_level(max),
                    a_level(level)
                ))
            }
        };
        if let Some(defined) = defined {
            diagnostic = diagnostic.also(defined, format!("`{name}` is defined here"));
        }
        self.report(diagnostic);
    }

    fn apply_builtin(&mut self, builtin: Builtin, args: &[Argument], span: Span) -> Info {
        let items: Vec<ExprId> = args
            .iter()
            .filter_map(|arg| match arg {
                Argument::Expr(id) => Some(*id),
                Argument::Operator(_) => None,
            })
            .collect();
        let name = spelling(builtin);
        if matches!(builtin, Builtin::Implies | Builtin::Equivalent) {
            return self.logical(name, &items, span);
        }
        let levels = builtins::levels(builtin);
        let mut info = Info::of(levels.own);
        for (idx, item) in items.iter().enumerate() {
            let part = self.expr(*item);
            if part.level > levels.max {
                self.argument_too_high(name, idx, part.level, levels.max, span, self.span(*item));
            } else if part.level == Level::Action {
                self.stuttering(builtin, *item, span);
            }
            if levels.passes {
                info.join(&part);
            } else {
                info.constrain(&part);
            }
            info.limit(&part, levels.max);
            if !levels.leibniz {
                let all: Set<Param> = part.all.clone();
                info.opaque.union(&all);
            }
        }
        info
    }

    /// `[]A`, `<>A` and `A ~> B` with an action that notices stuttering.
    fn stuttering(&mut self, builtin: Builtin, item: ExprId, span: Span) {
        let mut inner = item;
        while let ExprKind::Label { body, .. } = &self.it.spec.expr(inner).kind {
            inner = *body;
        }
        let place = self.span(item);
        let kind = &self.it.spec.expr(inner).kind;
        let (code, headline, help) = match builtin {
            Builtin::Always if !matches!(kind, ExprKind::BoxAction { .. }) => (
                "E4310",
                "`[]` is followed by an action that is not of the form [A]_v",
                "write `[][A]_v` with the tuple of variables for v",
            ),
            Builtin::Eventually if !matches!(kind, ExprKind::AngleAction { .. }) => (
                "E4311",
                "`<>` is followed by an action that is not of the form <<A>>_v",
                "write `<><<A>>_v` with the tuple of variables for v",
            ),
            Builtin::LeadsTo | Builtin::Guarantees => (
                "E4312",
                "an action stands where a state predicate or a temporal formula is needed",
                "write an action inside a temporal formula as `<><<A>>_v`",
            ),
            _ => return,
        };
        self.report(
            Diagnostic::error(code, span, headline)
                .label("a temporal formula may not notice steps that change nothing")
                .also(place, "this is an action")
                .help(help),
        );
    }
}

/// An argument of a higher level than the operator takes.
fn too_high_argument(
    name: &str,
    idx: usize,
    (level, max): (Level, Level),
    span: Span,
    argument: Option<Span>,
) -> Diagnostic {
    let text = format!(
        "argument {} of `{name}` is {}, at most {} is allowed",
        idx + 1,
        name_of(level),
        name_of(max)
    );
    let it = Diagnostic::error("E4205", span, text).label("applied here");
    match argument {
        Some(place) => it.also(place, format!("this is {}", name_of(level))),
        None => it,
    }
}
