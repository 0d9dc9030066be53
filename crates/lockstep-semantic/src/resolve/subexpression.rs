//! Subexpression names: `Op!1!<<`, `Op(a)!lab(b)!2`, `Op!(x)!@`, `Thm!:`.
//!
//! The named part becomes a definition of its own (one for each part, however often it is named):
//! its parameters are those of the operator and the bound names on the way down, its body is the
//! part itself, inside the LETs on the way.

use lockstep_syntax::ast::{self, Name, Selector};
use lockstep_syntax::{Diagnostic, Span};

use super::path::arguments;
use super::{Callee, Resolver, Target};
use crate::check::Check;
use crate::hir::{
    Argument, Definition, DefinitionId, DefinitionKind, DefinitionRef, ExprId, ExprKind, Level,
    LocalId, Operator, OperatorArgument,
};
use crate::scope::{LabelNode, Step, Symbol};

/// Where a walk down an expression has come to.
struct Walk {
    base: DefinitionId,
    at: Position,
    params: Vec<LocalId>,
    given: Vec<Argument>,
    /// Parameters without an argument so far.
    open: Vec<LocalId>,
    lets: Vec<DefinitionId>,
    /// LETs around the definition whose labels these are.
    outer_lets: Vec<DefinitionId>,
    /// A position was selected since the last name, so that a name means a LET definition.
    positional: bool,
    /// Anything was selected.
    started: bool,
    /// Nothing may follow.
    complete: bool,
    /// Labels that may be named next.
    labels: Vec<LabelNode>,
}

#[derive(Clone, Copy)]
enum Position {
    Expr(ExprId),
    /// An arm of a CASE; OTHER has no guard.
    Arm(Option<ExprId>, ExprId),
    /// A LAMBDA given as an argument.
    Lambda(ExprId, usize),
}

impl Resolver<'_> {
    /// The part of a definition that the steps after its name select.
    pub(super) fn subexpression(
        &mut self,
        symbol: &Symbol,
        name: &Name,
        step: &ast::PathStep,
        rest: &[ast::PathStep],
        span: Span,
        lead: Vec<LocalId>,
    ) -> Option<Target> {
        let (path, base) = match symbol {
            Symbol::Definition { path, id } => (path.to_vec(), *id),
            Symbol::Step(Step::Formula(id) | Step::Other { part: Some(id), .. }) => {
                (Vec::new(), *id)
            }
            Symbol::Predefined(_)
            | Symbol::Local(_)
            | Symbol::Decl(_)
            | Symbol::Instance { .. }
            | Symbol::Step(Step::Other { part: None, .. }) => {
                self.report(
                    Diagnostic::error("E4200", span, format!("`{name}` has no parts to name"))
                        .label("`!` may follow an instance, a definition, a theorem or a step"),
                );
                return None;
            }
        };
        let definition = self.spec.definition(base).clone();
        let mut walk = Walk {
            base,
            at: Position::Expr(definition.body),
            params: Vec::new(),
            given: Vec::new(),
            open: Vec::new(),
            lets: Vec::new(),
            outer_lets: Vec::new(),
            positional: false,
            started: false,
            complete: false,
            labels: self.labels.get(&base).cloned().unwrap_or_default(),
        };
        self.enter(&mut walk, &definition.params, &step.args, name, step.span, "E4204")?;
        let mut full = name.to_string();
        for step in rest {
            if walk.complete {
                self.no_part(step.span, "nothing may follow `!:`", walk.at);
                return None;
            }
            self.step(&mut walk, step)?;
            walk.started = true;
            full.push('!');
            full.push_str(&selector_text(&step.selector));
        }
        let full = Name::from(full);
        let (callee, signature) = self.part(&walk, path, &full, span)?;
        Some(Target {
            callee,
            signature,
            given: walk.given,
            args: Vec::new(),
            name: full,
            span,
            lead,
        })
    }

    /// Takes parameters with their arguments, or leaves them open.
    fn enter(
        &mut self,
        walk: &mut Walk,
        params: &[LocalId],
        args: &[ast::ExprId],
        name: &str,
        span: Span,
        code: &'static str,
    ) -> Option<()> {
        walk.params.extend(params);
        if args.is_empty() {
            walk.open.extend(params);
            return Some(());
        }
        if args.len() != params.len() || !walk.open.is_empty() {
            self.report(
                Diagnostic::error(
                    code,
                    span,
                    format!(
                        "`{name}` takes {}, but is given {}",
                        arguments(params.len()),
                        arguments(args.len())
                    ),
                )
                .label(format!("{} here", arguments(args.len()))),
            );
            return None;
        }
        for (idx, (arg, param)) in args.iter().zip(params).enumerate() {
            let arity = self.spec.local(*param).arity;
            let argument = self.argument(*arg, arity, &Name::from(name), idx);
            walk.given.push(argument);
        }
        Some(())
    }

    fn step(&mut self, walk: &mut Walk, step: &ast::PathStep) -> Option<()> {
        match &step.selector {
            Selector::Name(name) => self.named(walk, name, step),
            Selector::Number(n) => self.numbered(walk, *n as usize, step.span),
            Selector::First => self.numbered(walk, 1, step.span),
            Selector::Last => {
                // `>>` is the second of exactly two parts.
                if let Position::Expr(id) = walk.at {
                    let id = self.unlabelled(id);
                    if self.child(id, 2).is_some() {
                        self.no_part(step.span, "`>>` selects the second of two parts", walk.at);
                        return None;
                    }
                }
                self.numbered(walk, 2, step.span)
            }
            Selector::Colon => {
                if walk.started {
                    self.no_part(step.span, "`!:` may only follow an operator's name", walk.at);
                    return None;
                }
                walk.started = true;
                walk.labels.clear();
                walk.complete = true;
                Some(())
            }
            Selector::Body | Selector::Arguments => {
                let Some((locals, body)) = self.binder_of(walk.at) else {
                    self.no_part(step.span, "this part binds no names", walk.at);
                    return None;
                };
                walk.labels.clear();
                walk.positional = true;
                self.enter(walk, &locals, &step.args, "this part", step.span, "E4204")?;
                walk.at = Position::Expr(body);
                Some(())
            }
        }
    }

    /// A label, or a definition of a LET.
    fn named(&mut self, walk: &mut Walk, name: &Name, step: &ast::PathStep) -> Option<()> {
        if let Some(label) = walk.labels.iter().find(|it| it.name == *name).cloned() {
            self.enter(walk, &label.params, &step.args, name, step.span, "E4337")?;
            walk.at = Position::Expr(label.body);
            walk.lets.clone_from(&walk.outer_lets);
            walk.lets.extend(label.lets);
            walk.labels = label.children;
            return Some(());
        }
        if let Position::Expr(id) = walk.at
            && walk.positional
            && let ExprKind::Let { definitions, .. } = &self.spec.expr(self.unlabelled(id)).kind
        {
            let definitions = definitions.clone();
            let found =
                definitions.iter().find(|it| self.spec.definition(**it).name == *name).copied();
            if let Some(found) = found {
                let definition = self.spec.definition(found).clone();
                walk.lets.extend(definitions);
                walk.outer_lets.clone_from(&walk.lets);
                walk.positional = false;
                self.enter(walk, &definition.params, &step.args, name, step.span, "E4204")?;
                walk.at = Position::Expr(definition.body);
                walk.labels = self.labels.get(&found).cloned().unwrap_or_default();
                return Some(());
            }
        }
        let mut diagnostic =
            Diagnostic::error("E4200", step.span, format!("nothing is labelled `{name}` here"))
                .label("neither a label nor a LET definition of this part");
        let names = walk.labels.iter().map(|it| &it.name);
        if let Some(close) = crate::suggest::closest(name, names) {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        }
        self.report(diagnostic);
        None
    }

    fn numbered(&mut self, walk: &mut Walk, n: usize, span: Span) -> Option<()> {
        walk.labels.clear();
        walk.positional = true;
        let found = match walk.at {
            Position::Arm(guard, value) => match n {
                1 => guard.map(Position::Expr),
                2 => Some(Position::Expr(value)),
                _ => None,
            },
            Position::Lambda(..) => None,
            Position::Expr(id) => {
                let id = self.unlabelled(id);
                if let ExprKind::Let { definitions, body } = &self.spec.expr(id).kind {
                    let body = *body;
                    walk.lets.extend(definitions.clone());
                    (n == 1).then_some(Position::Expr(body))
                } else {
                    n.checked_sub(1).and_then(|idx| self.child(id, idx))
                }
            }
        };
        match found {
            Some(at) => {
                walk.at = at;
                Some(())
            }
            None => {
                self.no_part(span, &format!("there is no part {n}"), walk.at);
                None
            }
        }
    }

    fn no_part(&mut self, span: Span, why: &str, at: Position) {
        let mut diagnostic = Diagnostic::error("E4200", span, why).label("selected here");
        if let Position::Expr(id) | Position::Lambda(id, _) = at {
            diagnostic = diagnostic.also(self.spec.expr(id).span, "in this expression");
        }
        self.report(diagnostic);
    }

    fn unlabelled(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Label { body, .. } = &self.spec.expr(id).kind {
            id = *body;
        }
        id
    }

    /// The names an expression binds around its body.
    fn binder_of(&mut self, at: Position) -> Option<(Vec<LocalId>, ExprId)> {
        let id = match at {
            Position::Expr(id) => self.unlabelled(id),
            Position::Lambda(id, idx) => {
                return match &self.spec.expr(id).kind {
                    ExprKind::Apply { args, .. } => match args.get(idx)? {
                        Argument::Operator(OperatorArgument::Lambda { params, body, .. }) => {
                            Some((params.clone(), *body))
                        }
                        _ => None,
                    },
                    _ => None,
                };
            }
            Position::Arm(..) => return None,
        };
        match &self.spec.expr(id).kind {
            ExprKind::SetFilter { binder, body } => Some((binder.locals.clone(), *body)),
            ExprKind::SetMap { binders, body }
            | ExprKind::Function { binders, body }
            | ExprKind::Quantified { binders, body, .. } => {
                let locals = binders.iter().flat_map(|it| it.locals.iter().copied()).collect();
                Some((locals, *body))
            }
            ExprKind::Unbounded { locals, body, .. }
            | ExprKind::TemporalQuantified { locals, body, .. }
            | ExprKind::Choose { locals, body, .. } => Some((locals.clone(), *body)),
            _ => None,
        }
    }

    /// The child at a position (from 0).
    fn child(&mut self, id: ExprId, idx: usize) -> Option<Position> {
        let span = self.spec.expr(id).span;
        let nth = |items: &[ExprId]| items.get(idx).copied().map(Position::Expr);
        match &self.spec.expr(id).kind {
            ExprKind::And(items)
            | ExprKind::Or(items)
            | ExprKind::Tuple(items)
            | ExprKind::SetEnum(items) => nth(items),
            ExprKind::Apply { args, .. } => match args.get(idx)? {
                Argument::Expr(id) => Some(Position::Expr(*id)),
                Argument::Operator(OperatorArgument::Lambda { .. }) => {
                    Some(Position::Lambda(id, idx))
                }
                Argument::Operator(OperatorArgument::Named(_)) => None,
            },
            ExprKind::FunctionApply { function, args } => match (idx, args.as_slice()) {
                (0, _) => Some(Position::Expr(*function)),
                (1, [arg]) => Some(Position::Expr(*arg)),
                (1, args) => {
                    let args = args.to_vec();
                    Some(Position::Expr(self.expr(span, ExprKind::Tuple(args))))
                }
                _ => None,
            },
            ExprKind::Field { record, field } => match idx {
                0 => Some(Position::Expr(*record)),
                1 => {
                    let field = field.clone();
                    Some(Position::Expr(self.expr(span, ExprKind::String(field))))
                }
                _ => None,
            },
            ExprKind::SetFilter { binder, .. } => nth(&[binder.set]),
            ExprKind::SetMap { binders, .. }
            | ExprKind::Function { binders, .. }
            | ExprKind::Quantified { binders, .. } => {
                binders.get(idx).map(|it| Position::Expr(it.set))
            }
            ExprKind::Choose { set, .. } => set.and_then(|set| nth(&[set])),
            ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                fields.get(idx).map(|(_, value)| Position::Expr(*value))
            }
            ExprKind::Except { base, .. } => nth(&[*base]),
            ExprKind::If { condition, then, otherwise } => nth(&[*condition, *then, *otherwise]),
            ExprKind::Case { arms, other } => match (arms.get(idx), other) {
                (Some(arm), _) => Some(Position::Arm(Some(arm.guard), arm.value)),
                (None, Some(other)) if idx == arms.len() => Some(Position::Arm(None, *other)),
                (None, _) => None,
            },
            ExprKind::BoxAction { action, subscript }
            | ExprKind::AngleAction { action, subscript } => nth(&[*action, *subscript]),
            ExprKind::Fairness { subscript, action, .. } => nth(&[*subscript, *action]),
            ExprKind::AssumeProve => {
                let parts = self.assume_proves.get(&id)?.clone();
                parts.get(idx).copied().map(Position::Expr)
            }
            ExprKind::Error
            | ExprKind::Integer(_)
            | ExprKind::Decimal(_)
            | ExprKind::String(_)
            | ExprKind::Local(_)
            | ExprKind::Unbounded { .. }
            | ExprKind::TemporalQuantified { .. }
            | ExprKind::Let { .. }
            | ExprKind::Label { .. } => None,
        }
    }

    /// The definition that stands for the part a walk ends at.
    fn part(
        &mut self,
        walk: &Walk,
        path: Vec<crate::hir::InstanceStep>,
        name: &Name,
        span: Span,
    ) -> Option<(Callee, Vec<u32>)> {
        let (body, lambda) = match walk.at {
            Position::Expr(body) => (body, Vec::new()),
            Position::Lambda(..) => {
                let (params, body) = self.binder_of(walk.at)?;
                (body, params)
            }
            Position::Arm(..) => {
                self.report(
                    Diagnostic::error("E4200", span, "this names an arm, not an expression")
                        .help("add `!1` for its guard or `!2` for its value"),
                );
                return None;
            }
        };
        let mut params = walk.params.clone();
        params.extend(&lambda);
        let mut open = walk.open.clone();
        open.extend(lambda);
        let signature: Vec<u32> = open.iter().map(|local| self.spec.local(*local).arity).collect();
        let key = (walk.base, body, params.len());
        let id = match self.subexpressions.get(&key) {
            Some(id) => *id,
            None => {
                let it = self.spec.expr(body);
                let (part_span, assume_prove) = (it.span, self.assume_proves.get(&body).cloned());
                let whole = if walk.lets.is_empty() {
                    body
                } else {
                    let kind = ExprKind::Let { definitions: walk.lets.clone(), body };
                    self.expr(part_span, kind)
                };
                if let Some(parts) = assume_prove {
                    self.assume_proves.insert(whole, parts);
                }
                let base = self.spec.definition(walk.base);
                let definition = Definition {
                    name: name.clone(),
                    name_span: part_span,
                    span: part_span,
                    module: base.module,
                    enclosing: base.enclosing,
                    kind: DefinitionKind::Subexpression,
                    params: params.clone(),
                    body: whole,
                    recursive: false,
                    local: true,
                    level: Level::Constant,
                };
                let all = params.iter().map(|it| self.spec.local(*it).arity).collect();
                self.spec.definitions.push(definition);
                self.signatures.push(all);
                let id = DefinitionId(self.spec.definitions.len() as u32 - 1);
                self.subexpressions.insert(key, id);
                self.checks.push(Check::Definitions(vec![id]));
                id
            }
        };
        let it = DefinitionRef { path, definition: id };
        Some((Callee::Operator(Operator::Definition(it)), signature))
    }
}

fn selector_text(selector: &Selector) -> String {
    match selector {
        Selector::Name(name) => name.to_string(),
        Selector::Number(n) => n.to_string(),
        Selector::First => "<<".to_owned(),
        Selector::Last => ">>".to_owned(),
        Selector::Body => "@".to_owned(),
        Selector::Colon => ":".to_owned(),
        Selector::Arguments => "(…)".to_owned(),
    }
}
