//! Walks over resolved expressions: which definitions and bound names they mention.

use lockstep_semantic::hir::{
    Argument, Binder, DefinitionRef, ExceptStep, ExprId, ExprKind, InstanceId, LocalId, Operator,
    OperatorArgument, Spec,
};

use super::Lowerer;

/// What a walk meets.
pub(super) enum Met<'s> {
    /// A definition.
    Definition(&'s DefinitionRef),
    /// A bound name.
    Local(LocalId),
}

/// Calls `each` with every definition that an expression mentions (LETs entered).
pub(super) fn definitions_of(spec: &Spec, root: ExprId, each: &mut impl FnMut(&DefinitionRef)) {
    walk(spec, root, &mut |met| {
        if let Met::Definition(reference) = met {
            each(reference);
        }
    });
}

/// Calls `each` with every definition and bound name in an expression.
pub(super) fn walk(spec: &Spec, root: ExprId, each: &mut impl FnMut(Met<'_>)) {
    let mut todo = vec![root];
    let mut ops: Vec<&Operator> = Vec::new();
    while let Some(id) = todo.pop() {
        let expr = spec.expr(id);
        let binders = |binders: &[Binder], todo: &mut Vec<ExprId>| {
            todo.extend(binders.iter().map(|it| it.set));
        };
        match &expr.kind {
            ExprKind::Error
            | ExprKind::Integer(_)
            | ExprKind::Decimal(_)
            | ExprKind::String(_)
            | ExprKind::AssumeProve => {}
            ExprKind::Local(local) => each(Met::Local(*local)),
            ExprKind::Apply { op, args } => {
                ops.push(op);
                push_args(args, &mut todo, &mut ops);
            }
            ExprKind::And(items)
            | ExprKind::Or(items)
            | ExprKind::Tuple(items)
            | ExprKind::SetEnum(items) => todo.extend(items),
            ExprKind::FunctionApply { function, args } => {
                todo.push(*function);
                todo.extend(args);
            }
            ExprKind::Field { record, .. } => todo.push(*record),
            ExprKind::SetFilter { binder, body } => {
                todo.push(binder.set);
                todo.push(*body);
            }
            ExprKind::SetMap { binders: list, body }
            | ExprKind::Function { binders: list, body }
            | ExprKind::Quantified { binders: list, body, .. } => {
                binders(list, &mut todo);
                todo.push(*body);
            }
            ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                todo.extend(fields.iter().map(|(_, it)| *it));
            }
            ExprKind::Except { base, updates } => {
                todo.push(*base);
                for update in updates {
                    for step in &update.path {
                        if let ExceptStep::Index(args) = step {
                            todo.extend(args);
                        }
                    }
                    todo.push(update.value);
                }
            }
            ExprKind::Unbounded { body, .. }
            | ExprKind::TemporalQuantified { body, .. }
            | ExprKind::Label { body, .. } => todo.push(*body),
            ExprKind::Choose { set, body, .. } => {
                todo.extend(set);
                todo.push(*body);
            }
            ExprKind::If { condition, then, otherwise } => {
                todo.extend([*condition, *then, *otherwise]);
            }
            ExprKind::Case { arms, other } => {
                for arm in arms {
                    todo.extend([arm.guard, arm.value]);
                }
                todo.extend(other);
            }
            ExprKind::Let { definitions, body } => {
                todo.extend(definitions.iter().map(|it| spec.definition(*it).body));
                todo.push(*body);
            }
            ExprKind::BoxAction { action, subscript }
            | ExprKind::AngleAction { action, subscript }
            | ExprKind::Fairness { action, subscript, .. } => todo.extend([*action, *subscript]),
        }
        while let Some(op) = ops.pop() {
            match op {
                Operator::Builtin(_) | Operator::Decl(_) => {}
                Operator::Local(local) => each(Met::Local(*local)),
                Operator::Definition(reference) => {
                    each(Met::Definition(reference));
                    push_path(reference, &mut todo, &mut ops);
                }
            }
        }
    }
}

fn push_args<'a>(args: &'a [Argument], todo: &mut Vec<ExprId>, ops: &mut Vec<&'a Operator>) {
    for arg in args {
        match arg {
            Argument::Expr(expr) => todo.push(*expr),
            Argument::Operator(OperatorArgument::Named(op)) => ops.push(op),
            Argument::Operator(OperatorArgument::Lambda { body, .. }) => todo.push(*body),
        }
    }
}

fn push_path<'a>(
    reference: &'a DefinitionRef,
    todo: &mut Vec<ExprId>,
    ops: &mut Vec<&'a Operator>,
) {
    for step in &reference.path {
        push_args(&step.args, todo, ops);
    }
}

impl Lowerer<'_> {
    /// Whether the substitutions of an instance mention bound names or definitions of a LET.
    pub(super) fn needs_env(&mut self, id: InstanceId) -> bool {
        if let Some(known) = self.env_needed.get(&id) {
            return *known;
        }
        let spec = self.spec;
        let mut needed = false;
        let mut visit = |met: Met<'_>| match met {
            Met::Definition(it) => needed |= spec.definition(it.definition).enclosing.is_some(),
            Met::Local(_) => needed = true,
        };
        for (_, arg) in &spec.instance(id).substitutions {
            match arg {
                Argument::Expr(expr) => walk(spec, *expr, &mut visit),
                Argument::Operator(OperatorArgument::Lambda { body, .. }) => {
                    // Its own parameters count as well: the price is a context of its own.
                    walk(spec, *body, &mut visit);
                }
                Argument::Operator(OperatorArgument::Named(op)) => match op {
                    Operator::Local(_) => visit(Met::Local(LocalId(0))),
                    Operator::Definition(reference) => {
                        visit(Met::Definition(reference));
                    }
                    Operator::Builtin(_) | Operator::Decl(_) => {}
                },
            }
        }
        self.env_needed.insert(id, needed);
        needed
    }
}
