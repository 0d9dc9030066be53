//! Expressions.

use std::rc::Rc;

use lockstep_syntax::ast::{self, Ident, JunctionKind, Name, Pattern, Quantifier, Selector};
use lockstep_syntax::{Diagnostic, Span};

use super::path::arguments;
use super::{Callee, LabelContext, Resolver, Target};
use crate::builtins::{self, Predefined};
use crate::check::Check;
use crate::hir::{
    Argument, Binder, Builtin, CaseArm, ExceptStep, ExceptUpdate, ExprId, ExprKind, LocalId,
    Operator, OperatorArgument,
};
use crate::levels::Role;
use crate::scope::Symbol;

/// Below this much free stack the recursion goes on in a new piece of it.
const RED_ZONE: usize = 128 * 1024;
const STACK_PIECE: usize = 4 * 1024 * 1024;

impl Resolver<'_> {
    /// An expression that must have a value.
    pub(super) fn value(&mut self, id: ast::ExprId) -> ExprId {
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || {
            let ast = self.ast();
            self.value_of(ast.expr(id))
        })
    }

    fn values(&mut self, ids: &[ast::ExprId]) -> Vec<ExprId> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    fn value_of(&mut self, expr: &ast::Expr) -> ExprId {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Error => ExprKind::Error,
            ast::ExprKind::Number(text) => ExprKind::Integer(integer(text)),
            ast::ExprKind::Decimal(text) => ExprKind::Decimal(text.clone()),
            ast::ExprKind::String(text) => ExprKind::String(text.clone()),
            ast::ExprKind::At => match self.context().at {
                Some(local) => ExprKind::Local(local),
                None => {
                    self.report(
                        Diagnostic::error("E4261", span, "`@` means nothing here")
                            .label("not inside an EXCEPT")
                            .help("`@` stands for the old value in `[f EXCEPT ![x] = @ + 1]`"),
                    );
                    ExprKind::Error
                }
            },
            ast::ExprKind::Name(steps) => return self.name(steps, span),
            ast::ExprKind::Prefix { op, arg } | ast::ExprKind::Postfix { op, arg } => {
                return self.symbol(op, &[*arg], span);
            }
            ast::ExprKind::Infix { op, left, right } => {
                return self.symbol(op, &[*left, *right], span);
            }
            ast::ExprKind::Product(factors) => {
                let args = self.values(factors).into_iter().map(Argument::Expr).collect();
                ExprKind::Apply { op: Operator::Builtin(Builtin::Product), args }
            }
            ast::ExprKind::Junction { kind, items } => {
                let items = self.values(items);
                match kind {
                    JunctionKind::And => ExprKind::And(items),
                    JunctionKind::Or => ExprKind::Or(items),
                }
            }
            ast::ExprKind::Parens(inner) => return self.value(*inner),
            ast::ExprKind::Apply { function, args } => {
                let function = self.value(*function);
                self.check_function_arity(function, args.len(), span);
                ExprKind::FunctionApply { function, args: self.values(args) }
            }
            ast::ExprKind::Field { record, field } => {
                ExprKind::Field { record: self.value(*record), field: field.name.clone() }
            }
            ast::ExprKind::Tuple(items) => ExprKind::Tuple(self.values(items)),
            ast::ExprKind::SetEnum(items) => ExprKind::SetEnum(self.values(items)),
            ast::ExprKind::SetFilter { binder, body } => {
                let (mut binders, body) =
                    self.bound(std::slice::from_ref(binder), |it| it.value(*body));
                match binders.pop() {
                    Some(binder) => ExprKind::SetFilter { binder, body },
                    None => ExprKind::Error,
                }
            }
            ast::ExprKind::SetMap { body, binders } => {
                let (binders, body) = self.bound(binders, |it| it.value(*body));
                ExprKind::SetMap { binders, body }
            }
            ast::ExprKind::Function { binders, body } => {
                let (binders, body) = self.bound(binders, |it| it.value(*body));
                ExprKind::Function { binders, body }
            }
            ast::ExprKind::FunctionSet { domain, range } => {
                let args =
                    vec![Argument::Expr(self.value(*domain)), Argument::Expr(self.value(*range))];
                ExprKind::Apply { op: Operator::Builtin(Builtin::FunctionSet), args }
            }
            ast::ExprKind::Record(fields) => ExprKind::Record(self.fields(fields)),
            ast::ExprKind::RecordSet(fields) => ExprKind::RecordSet(self.fields(fields)),
            ast::ExprKind::Except { base, updates } => {
                let base = self.value(*base);
                let updates = updates.iter().map(|update| self.update(update)).collect();
                ExprKind::Except { base, updates }
            }
            ast::ExprKind::Quantified { quantifier, binders, body } => {
                let (binders, body) = self.bound(binders, |it| it.value(*body));
                match quantifier {
                    Quantifier::ForAll | Quantifier::TemporalForAll => {
                        ExprKind::Quantified { for_all: true, binders, body }
                    }
                    Quantifier::Exists | Quantifier::TemporalExists => {
                        ExprKind::Quantified { for_all: false, binders, body }
                    }
                }
            }
            ast::ExprKind::Unbounded { quantifier, names, body } => {
                let (locals, body) = self.bound_names(names, |it| it.value(*body));
                match quantifier {
                    Quantifier::ForAll => ExprKind::Unbounded { for_all: true, locals, body },
                    Quantifier::Exists => ExprKind::Unbounded { for_all: false, locals, body },
                    Quantifier::TemporalForAll => {
                        ExprKind::TemporalQuantified { for_all: true, locals, body }
                    }
                    Quantifier::TemporalExists => {
                        ExprKind::TemporalQuantified { for_all: false, locals, body }
                    }
                }
            }
            ast::ExprKind::Choose { pattern, set, body } => {
                let set = set.map(|set| self.value(set));
                let tuple = matches!(pattern, Pattern::Tuple(_));
                let (locals, body) = self.bound_names(pattern.names(), |it| it.value(*body));
                ExprKind::Choose { locals, tuple, set, body }
            }
            ast::ExprKind::If { condition, then, otherwise } => ExprKind::If {
                condition: self.value(*condition),
                then: self.value(*then),
                otherwise: self.value(*otherwise),
            },
            ast::ExprKind::Case { arms, other } => {
                let arms = arms
                    .iter()
                    .map(|arm| CaseArm {
                        guard: self.value(arm.guard),
                        value: self.value(arm.value),
                    })
                    .collect();
                ExprKind::Case { arms, other: other.map(|other| self.value(other)) }
            }
            ast::ExprKind::Let { units, body } => self.let_in(units, *body),
            ast::ExprKind::Lambda { .. } => {
                self.report(
                    Diagnostic::error("E4275", span, "a LAMBDA stands where a value is needed")
                        .label("this is an operator, not a value")
                        .help("a LAMBDA may only be an argument for an operator parameter or stand after `<-`; for a function write `[x \\in S |-> e]`"),
                );
                ExprKind::Error
            }
            ast::ExprKind::BoxAction { action, subscript } => ExprKind::BoxAction {
                action: self.value(*action),
                subscript: self.value(*subscript),
            },
            ast::ExprKind::AngleAction { action, subscript } => ExprKind::AngleAction {
                action: self.value(*action),
                subscript: self.value(*subscript),
            },
            ast::ExprKind::Fairness { strong, subscript, action } => ExprKind::Fairness {
                strong: *strong,
                subscript: self.value(*subscript),
                action: self.value(*action),
            },
            ast::ExprKind::Label { name, params, body } => {
                let body = self.label(name, params, |it| it.value(*body));
                ExprKind::Label { name: name.name.clone(), body }
            }
            ast::ExprKind::AssumeProve(_) => {
                self.report(
                    Diagnostic::error("E4355", span, "an ASSUME/PROVE stands where a value is needed")
                        .label("this is not an expression")
                        .help("it may only be the statement of a theorem, a proof step or an assumption inside one"),
                );
                ExprKind::Error
            }
        };
        self.expr(span, kind)
    }

    /// A statement of a theorem, an assumption or a proof step: an expression or an ASSUME/PROVE.
    /// Names that its NEW declares stay in scope; the caller marks and restores.
    pub(super) fn statement(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.ast();
        match &ast.expr(id).kind {
            ast::ExprKind::Parens(inner) => self.statement(*inner),
            ast::ExprKind::AssumeProve(it) => self.assume_prove(it, ast.expr(id).span, false),
            ast::ExprKind::Label { name, params, body } => {
                let span = ast.expr(id).span;
                let body = self.label(name, params, |it| it.statement(*body));
                if self.assume_proves.contains_key(&body) {
                    return body;
                }
                self.expr(span, ExprKind::Label { name: name.name.clone(), body })
            }
            _ => self.value(id),
        }
    }

    /// An operator symbol in infix, prefix or postfix form.
    fn symbol(&mut self, op: &Ident, args: &[ast::ExprId], span: Span) -> ExprId {
        let Some(entry) = self.scope.get(&op.name) else {
            self.unknown(&op.name, op.span);
            for arg in args {
                self.value(*arg);
            }
            return self.error_expr(span);
        };
        let symbol = entry.symbol.clone();
        match symbol {
            Symbol::Predefined(it) => {
                let args = self.values(args);
                self.predefined(it, args, span)
            }
            symbol => match self.callee(&symbol, &op.name, op.span) {
                Some((callee, signature)) => {
                    let target = Target {
                        callee,
                        signature,
                        given: Vec::new(),
                        args: args.to_vec(),
                        lead: Vec::new(),
                        name: op.name.clone(),
                        span,
                    };
                    self.apply(target)
                }
                None => self.error_expr(span),
            },
        }
    }

    /// A predefined operator with as many arguments as it takes.
    fn predefined(&mut self, it: Predefined, args: Vec<ExprId>, span: Span) -> ExprId {
        let kind = match it {
            Predefined::And => ExprKind::And(args),
            Predefined::Or => ExprKind::Or(args),
            Predefined::Operator(builtin) => ExprKind::Apply {
                op: Operator::Builtin(builtin),
                args: args.into_iter().map(Argument::Expr).collect(),
            },
        };
        self.expr(span, kind)
    }

    /// A general name, with or without arguments, as a value.
    fn name(&mut self, steps: &[ast::PathStep], span: Span) -> ExprId {
        match self.path(steps, span) {
            Some(target) => self.apply(target),
            None => {
                // The arguments may hold mistakes of their own.
                if let Some(last) = steps.last() {
                    for arg in &last.args {
                        if !self.is_operator_like(*arg) {
                            self.value(*arg);
                        }
                    }
                }
                self.error_expr(span)
            }
        }
    }

    /// Whether an argument may well be meant as an operator.
    fn is_operator_like(&mut self, id: ast::ExprId) -> bool {
        let ast = self.ast();
        match &ast.expr(id).kind {
            ast::ExprKind::Lambda { .. } => true,
            ast::ExprKind::Name(steps) => match self.path_quietly(steps) {
                Some(arity) => arity > 0,
                None => false,
            },
            _ => false,
        }
    }

    /// Number of arguments of a one-step name, without reports.
    fn path_quietly(&self, steps: &[ast::PathStep]) -> Option<usize> {
        let [step] = steps else { return None };
        let Selector::Name(name) = &step.selector else { return None };
        if !step.args.is_empty() {
            return None;
        }
        let entry = self.scope.get(name)?;
        Some(self.shape(&entry.symbol).1)
    }

    /// Applies a resolved name to its arguments.
    fn apply(&mut self, target: Target) -> ExprId {
        let Target { callee, signature, given, args, lead, name, span } = target;
        if let Some(first) = lead.first() {
            let step = self.spec.local(*first).span;
            self.report(
                Diagnostic::error(
                    "E4204",
                    step,
                    format!("this instance takes {}, but is given none", arguments(lead.len())),
                )
                .label("arguments are missing here")
                .help(format!("write them before the `!` of `{name}`")),
            );
            return self.error_expr(span);
        }
        let product = matches!(
            callee,
            Callee::Predefined(Predefined::Operator(Builtin::Product)) if args.len() >= 2
        );
        if signature.len() != args.len() && !product {
            let mut diagnostic = Diagnostic::error(
                "E4204",
                span,
                format!(
                    "operator `{name}` takes {}, but is given {}",
                    arguments(signature.len()),
                    arguments(args.len())
                ),
            )
            .label(format!("{} here", arguments(args.len())));
            if let Some(definition) = self.place_of(&callee) {
                diagnostic = diagnostic.also(definition, format!("`{name}` is defined here"));
            }
            self.report(diagnostic);
            for (idx, arg) in args.iter().enumerate() {
                if signature.get(idx).copied().unwrap_or(0) == 0 && !self.is_operator_like(*arg) {
                    self.value(*arg);
                }
            }
            return self.error_expr(span);
        }
        let mut all = given;
        for (idx, arg) in args.iter().enumerate() {
            let arity = signature.get(idx).copied().unwrap_or(0);
            all.push(self.argument(*arg, arity, &name, idx));
        }
        match callee {
            Callee::Predefined(it) => {
                let args = all
                    .into_iter()
                    .filter_map(|arg| match arg {
                        Argument::Expr(id) => Some(id),
                        Argument::Operator(_) => None,
                    })
                    .collect();
                self.predefined(it, args, span)
            }
            Callee::Operator(Operator::Local(local)) if all.is_empty() => {
                self.expr(span, ExprKind::Local(local))
            }
            Callee::Operator(op) => {
                if let Operator::Definition(it) = &op {
                    let body = self.spec.definition(it.definition).body;
                    if self.assume_proves.contains_key(&body) {
                        let defined = self.spec.definition(it.definition).name_span;
                        self.report(
                            Diagnostic::error(
                                "E4355",
                                span,
                                format!("`{name}` is an ASSUME/PROVE, not an expression"),
                            )
                            .label("a value is needed here")
                            .also(defined, format!("`{name}` is stated here")),
                        );
                        return self.error_expr(span);
                    }
                }
                self.expr(span, ExprKind::Apply { op, args: all })
            }
        }
    }

    fn place_of(&self, callee: &Callee) -> Option<Span> {
        match callee {
            Callee::Predefined(_) | Callee::Operator(Operator::Builtin(_)) => None,
            Callee::Operator(Operator::Decl(id)) => Some(self.spec.decl(*id).span),
            Callee::Operator(Operator::Local(id)) => Some(self.spec.local(*id).span),
            Callee::Operator(Operator::Definition(it)) => {
                Some(self.spec.definition(it.definition).name_span)
            }
        }
    }

    /// An argument for a parameter that takes `arity` arguments itself.
    pub(super) fn argument(
        &mut self,
        id: ast::ExprId,
        arity: u32,
        name: &Name,
        idx: usize,
    ) -> Argument {
        if arity == 0 {
            return Argument::Expr(self.value(id));
        }
        let ast = self.ast();
        let expr = ast.expr(id);
        let span = expr.span;
        let codes = ("E4270", "E4271", "E4274");
        let what = format!("argument {} of `{name}`", idx + 1);
        self.operator_argument(id, arity as usize, &what, codes)
            .unwrap_or_else(|| Argument::Expr(self.error_expr(span)))
    }

    /// An operator with `arity` arguments; `codes` are the errors for a value, for a named operator
    /// and for a LAMBDA that does not fit.
    pub(super) fn operator_argument(
        &mut self,
        id: ast::ExprId,
        arity: usize,
        what: &str,
        codes: (&'static str, &'static str, &'static str),
    ) -> Option<Argument> {
        let ast = self.ast();
        let expr = ast.expr(id);
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Parens(inner) => self.operator_argument(*inner, arity, what, codes),
            ast::ExprKind::Lambda { params, body } => {
                let lambda = self.lambda(params, *body, span);
                if params.len() != arity {
                    self.report(
                        Diagnostic::error(
                            codes.2,
                            span,
                            format!(
                                "{what} must take {}, but this LAMBDA takes {}",
                                arguments(arity),
                                arguments(params.len())
                            ),
                        )
                        .label(format!("a LAMBDA with {}", arguments(params.len()))),
                    );
                    return None;
                }
                Some(lambda)
            }
            ast::ExprKind::Name(steps) if steps.last().is_some_and(|it| it.args.is_empty()) => {
                let target = self.path(steps, span)?;
                let takes = target.lead.len() + target.signature.len();
                let product = matches!(
                    target.callee,
                    Callee::Predefined(Predefined::Operator(Builtin::Product))
                );
                if target.signature.iter().any(|it| *it > 0) || (takes != arity && !product) {
                    let mut diagnostic = Diagnostic::error(
                        codes.1,
                        span,
                        format!(
                            "{what} must be an operator that takes {}, but `{}` takes {}",
                            arguments(arity),
                            target.name,
                            arguments(takes)
                        ),
                    )
                    .label("does not fit");
                    if let Some(place) = self.place_of(&target.callee) {
                        diagnostic =
                            diagnostic.also(place, format!("`{}` is defined here", target.name));
                    }
                    self.report(diagnostic);
                    return None;
                }
                Some(Argument::Operator(self.as_operator(target, arity)))
            }
            _ => {
                self.value(id);
                self.report(
                    Diagnostic::error(
                        codes.0,
                        span,
                        format!("{what} must be an operator that takes {}", arguments(arity)),
                    )
                    .label("this is a value")
                    .help("give the name of an operator, or a LAMBDA"),
                );
                None
            }
        }
    }

    /// A resolved name as an operator.
    fn as_operator(&mut self, target: Target, arity: usize) -> OperatorArgument {
        match target.callee {
            Callee::Operator(op) if target.given.is_empty() && target.lead.is_empty() => {
                OperatorArgument::Named(op)
            }
            Callee::Predefined(Predefined::Operator(builtin)) => {
                OperatorArgument::Named(Operator::Builtin(builtin))
            }
            callee => {
                let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
                let mut params: Vec<LocalId> = (0..arity - target.lead.len())
                    .map(|idx| {
                        let name = Name::new(names.get(idx).copied().unwrap_or("x"));
                        self.new_local(&name, target.span, 0, Role::Param)
                    })
                    .collect();
                let locals: Vec<ExprId> = params
                    .iter()
                    .map(|local| self.expr(target.span, ExprKind::Local(*local)))
                    .collect();
                let body = match callee {
                    Callee::Predefined(it) => self.predefined(it, locals, target.span),
                    Callee::Operator(op) => {
                        let mut args = target.given;
                        args.extend(locals.into_iter().map(Argument::Expr));
                        self.expr(target.span, ExprKind::Apply { op, args })
                    }
                };
                params.splice(0..0, target.lead);
                OperatorArgument::Lambda { params, body, span: target.span }
            }
        }
    }

    fn lambda(&mut self, params: &[Ident], body: ast::ExprId, span: Span) -> Argument {
        let mark = self.scope.mark();
        let params: Vec<LocalId> = params.iter().map(|it| self.bind(it, 0, Role::Param)).collect();
        let n = params.len();
        self.context().bound.extend(params.iter().copied());
        let body = self.value(body);
        let bound = &mut self.context().bound;
        bound.truncate(bound.len() - n);
        self.scope.restore(mark);
        Argument::Operator(OperatorArgument::Lambda { params, body, span })
    }

    /// `f[a, b]` where `f` is a defined function: the number of arguments must fit.
    fn check_function_arity(&mut self, function: ExprId, given: usize, span: Span) {
        let ExprKind::Apply { op: Operator::Definition(it), .. } = &self.spec.expr(function).kind
        else {
            return;
        };
        let definition = it.definition;
        let Some(arity) = self.function_arity.get(&definition).copied() else { return };
        if given == arity || given == 1 {
            return;
        }
        let definition = self.spec.definition(definition);
        let (name, place) = (definition.name.clone(), definition.name_span);
        self.report(
            Diagnostic::error(
                "E4260",
                span,
                format!(
                    "function `{name}` takes {}, but is applied to {}",
                    arguments(arity),
                    arguments(given)
                ),
            )
            .label(format!("{} here", arguments(given)))
            .also(place, format!("`{name}` is defined here")),
        );
    }

    fn fields(&mut self, fields: &[(Ident, ast::ExprId)]) -> Vec<(Name, ExprId)> {
        let mut result: Vec<(Name, ExprId)> = Vec::with_capacity(fields.len());
        for (idx, (field, value)) in fields.iter().enumerate() {
            if let Some((first, _)) =
                fields[..idx].iter().find(|(before, _)| before.name == field.name)
            {
                self.report(
                    Diagnostic::error(
                        "E4262",
                        field.span,
                        format!("field `{}` is given twice", field.name),
                    )
                    .label("the second time")
                    .also(first.span, "the first time"),
                );
            }
            let value = self.value(*value);
            let module = self.frame().module;
            self.checks.push(Check::Field { module, field: field.clone(), value });
            result.push((field.name.clone(), value));
        }
        result
    }

    fn update(&mut self, update: &ast::ExceptUpdate) -> ExceptUpdate {
        let path = update
            .path
            .iter()
            .map(|step| match step {
                ast::ExceptStep::Index(args) => {
                    ExceptStep::Index(self.without_labels(|it| it.values(args)))
                }
                ast::ExceptStep::Field(field) => ExceptStep::Field(field.name.clone()),
            })
            .collect();
        let at = self.new_local(&Name::new_static("@"), update.span, 0, Role::Bound);
        let outer = self.context().at.replace(at);
        let value = self.without_labels(|it| it.value(update.value));
        self.context().at = outer;
        ExceptUpdate { path, at, value, span: update.span }
    }

    fn without_labels<T>(&mut self, resolve: impl FnOnce(&mut Self) -> T) -> T {
        let labels = std::mem::replace(&mut self.context().labels, LabelContext::Except);
        let result = resolve(self);
        self.context().labels = labels;
        result
    }

    fn let_in(&mut self, units: &[ast::Unit], body: ast::ExprId) -> ExprKind {
        let mark = self.scope.mark();
        let n_lets = self.context().lets.len();
        self.frame().pending.push(Vec::new());
        self.depth += 1;
        let mut definitions = Vec::new();
        for unit in units {
            if let Some(id) = self.definition_unit(unit) {
                definitions.push(id);
                self.context().lets.push(id);
            }
        }
        self.end_recursive_section();
        self.frame().pending.pop();
        let body = self.value(body);
        self.depth -= 1;
        self.context().lets.truncate(n_lets);
        self.scope.restore(mark);
        ExprKind::Let { definitions, body }
    }

    /// The sets of binders, resolved before the names are bound.
    pub(super) fn binder_sets(&mut self, binders: &[ast::Binder]) -> Vec<ExprId> {
        binders.iter().map(|binder| self.value(binder.set)).collect()
    }

    /// Binds the names of binders; the caller restores the scope.
    pub(super) fn binders(&mut self, binders: &[ast::Binder], sets: Vec<ExprId>) -> Vec<Binder> {
        binders
            .iter()
            .zip(sets)
            .map(|(binder, set)| {
                let locals: Vec<LocalId> = binder
                    .pattern
                    .names()
                    .iter()
                    .map(|name| self.bind(name, 0, Role::Bound))
                    .collect();
                self.context().bound.extend(locals.iter().copied());
                Binder { locals, tuple: matches!(binder.pattern, Pattern::Tuple(_)), set }
            })
            .collect()
    }

    fn bound<T>(
        &mut self,
        binders: &[ast::Binder],
        resolve: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<Binder>, T) {
        let sets = self.binder_sets(binders);
        let mark = self.scope.mark();
        let n_bound = self.context().bound.len();
        let binders = self.binders(binders, sets);
        let result = resolve(self);
        self.context().bound.truncate(n_bound);
        self.scope.restore(mark);
        (binders, result)
    }

    fn bound_names<T>(
        &mut self,
        names: &[Ident],
        resolve: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<LocalId>, T) {
        let mark = self.scope.mark();
        let n_bound = self.context().bound.len();
        let locals: Vec<LocalId> =
            names.iter().map(|name| self.bind(name, 0, Role::Bound)).collect();
        self.context().bound.extend(locals.iter().copied());
        let result = resolve(self);
        self.context().bound.truncate(n_bound);
        self.scope.restore(mark);
        (locals, result)
    }

    /// What a symbol is as something to apply, with the numbers of arguments of its parameters.
    pub(super) fn callee(
        &mut self,
        symbol: &Symbol,
        name: &Name,
        span: Span,
    ) -> Option<(Callee, Vec<u32>)> {
        match symbol {
            Symbol::Predefined(it) => {
                let arity = match it {
                    Predefined::Operator(builtin) => builtins::arity(*builtin),
                    Predefined::And | Predefined::Or => 2,
                };
                Some((Callee::Predefined(*it), vec![0; arity]))
            }
            Symbol::Local(id) => {
                let arity = self.spec.local(*id).arity as usize;
                Some((Callee::Operator(Operator::Local(*id)), vec![0; arity]))
            }
            Symbol::Decl(id) => {
                let arity = self.spec.decl(*id).arity as usize;
                Some((Callee::Operator(Operator::Decl(*id)), vec![0; arity]))
            }
            Symbol::Definition { path, id } => {
                for (open, mentioned) in &mut self.open_functions {
                    *mentioned |= open == id;
                }
                let signature = self.signatures[id.index()].clone();
                let path = path.to_vec();
                let it = crate::hir::DefinitionRef { path, definition: *id };
                Some((Callee::Operator(Operator::Definition(it)), signature))
            }
            Symbol::Instance { .. } => {
                self.report(
                    Diagnostic::error("E4203", span, format!("the name `{name}` is incomplete"))
                        .label("this is an instance of a module, not an operator")
                        .help(format!("say which operator of it you mean: `{name}!Op`")),
                );
                None
            }
            Symbol::Step(crate::scope::Step::Formula(id)) => {
                let path = Vec::new();
                let it = crate::hir::DefinitionRef { path, definition: *id };
                Some((Callee::Operator(Operator::Definition(it)), Vec::new()))
            }
            Symbol::Step(crate::scope::Step::Other { keyword, .. }) => {
                self.report(
                    Diagnostic::error(
                        "E4351",
                        span,
                        format!("step `{name}` is a {keyword} step, not an expression"),
                    )
                    .label("an expression is needed here"),
                );
                None
            }
        }
    }

    /// A copy of the tree's handle, for callers outside this file.
    pub(super) fn tree(&mut self) -> Rc<ast::Ast> {
        self.ast()
    }
}

/// The value of a number as written, if it fits.
fn integer(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("\\b") {
        i64::from_str_radix(digits, 2).ok()
    } else if let Some(digits) = lower.strip_prefix("\\o") {
        i64::from_str_radix(digits, 8).ok()
    } else if let Some(digits) = lower.strip_prefix("\\h") {
        i64::from_str_radix(digits, 16).ok()
    } else {
        lower.parse().ok()
    }
}
