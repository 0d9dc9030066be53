//! Trees of what is counted, made while expressions are lowered.
//!
//! Every application becomes a node of the tree, as do variables, bound names and constructors;
//! numbers and strings do not. A node under an applied definition holds the definition's body and
//! then the arguments (an operator parameter's arguments first), a quantifier its body and then its
//! bounds: the order in which TLC lists them. While nothing is counted, no node is made and the
//! lowered program is the same as ever.

use lockstep_semantic::hir::{Argument, Binder, ExprId, ExprKind, Operator, OperatorArgument};
use lockstep_syntax::Span;

use super::Lowerer;
use super::env::Place;
use crate::ir::{Act, ActId, CostNode, CostRoot, Counted, Node, NodeId, Slot};

impl<'a> Lowerer<'a> {
    /// Whether what is being lowered is counted.
    pub(super) fn is_counting(&self) -> bool {
        self.costing.is_some()
    }

    fn open(&mut self, span: Span) -> u32 {
        let id = self.program.costs.nodes.len() as u32;
        let node =
            CostNode { span, children: Vec::new(), assigns: false, unchanged: false, names: false };
        self.program.costs.nodes.push(node);
        if let Some(parent) = self.costing {
            self.program.costs.nodes[parent as usize].children.push(id);
        }
        id
    }

    /// A node that only stands for what is lowered under it later.
    fn open_for(&mut self, expr: ExprId) -> u32 {
        let node = self.open(self.spec.expr(expr).span);
        self.program.costs.nodes[node as usize].names = true;
        node
    }

    /// How many parts the present node has, to drop those of an abandoned pass.
    pub(super) fn cost_mark(&self) -> usize {
        self.costing.map_or(0, |it| self.program.costs.nodes[it as usize].children.len())
    }

    /// Drops the parts of the present node from `mark` on.
    pub(super) fn drop_costs(&mut self, mark: usize) {
        if let Some(it) = self.costing {
            self.program.costs.nodes[it as usize].children.truncate(mark);
        }
    }

    /// Lowers something with a tree of its own, if evaluations are to be counted.
    pub(super) fn counted<R>(
        &mut self,
        span: Span,
        lower: impl FnOnce(&mut Self) -> R,
        root: impl FnOnce(&R) -> CostRoot,
    ) -> R {
        if !self.options.count {
            return lower(self);
        }
        // No tree shares what was made for another.
        self.function_of.clear();
        self.act_function_of.clear();
        self.memo_of.clear();
        let node = self.open(span);
        self.costing = Some(node);
        let result = lower(self);
        self.costing = None;
        self.program.costs.roots.push((root(&result), node));
        result
    }

    /// Lowers something that is not counted.
    pub(super) fn uncounted<R>(&mut self, lower: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.costing.take();
        let result = lower(self);
        self.costing = around;
        result
    }

    /// Lowers something whose parts are counted under a node made before.
    pub(super) fn counted_at<R>(
        &mut self,
        node: Option<u32>,
        lower: impl FnOnce(&mut Self) -> R,
    ) -> R {
        if self.costing.is_none() || node.is_none() {
            return lower(self);
        }
        let around = std::mem::replace(&mut self.costing, node);
        let result = lower(self);
        self.costing = around;
        result
    }

    /// A node for an argument, which is filled when the argument is lowered.
    pub(super) fn cost_of_argument(&mut self, arg: &Argument) -> Option<u32> {
        self.costing?;
        match arg {
            Argument::Expr(expr) => Some(self.open_for(*expr)),
            Argument::Operator(OperatorArgument::Lambda { body, .. }) => {
                let node = self.open_for(*body);
                self.lambda_costs.insert(*body, node);
                Some(node)
            }
            Argument::Operator(OperatorArgument::Named(_)) => None,
        }
    }

    /// A node for the body of a definition of a LET.
    pub(super) fn cost_of_definition(&mut self, body: ExprId) -> Option<u32> {
        self.costing?;
        Some(self.open_for(body))
    }

    /// Shows the body of a LAMBDA, just lowered, under the argument it is, too.
    pub(super) fn share_lambda(&mut self, body: ExprId, mark: usize) {
        let Some(around) = self.costing else { return };
        let Some(argument) = self.lambda_costs.get(&body).copied() else { return };
        let made = self.program.costs.nodes[around as usize].children[mark..].to_vec();
        let argument = &mut self.program.costs.nodes[argument as usize].children;
        if argument.is_empty() && !made.contains(&around) {
            argument.extend(made);
        }
    }

    /// Lowers what an expression means under a node of its own, if evaluations are counted.
    pub(super) fn counted_under(
        &mut self,
        id: ExprId,
        lower: impl FnOnce(&mut Self) -> NodeId,
    ) -> NodeId {
        if self.costing.is_none() {
            return lower(self);
        }
        let expr = self.spec.expr(id);
        let counter = self.open(expr.span);
        let body = self.counted_at(Some(counter), lower);
        self.put_in_order(counter, &expr.kind);
        self.node(Node::Count { counter, body }, expr.span)
    }

    /// Lowers an expression under a node of its own.
    pub(super) fn counted_expr(&mut self, id: ExprId, place: &Place<'a>) -> NodeId {
        let expr = self.spec.expr(id);
        if is_plain(&expr.kind) {
            return self.expr_inner(id, place);
        }
        let counter = self.open(expr.span);
        let body = self.counted_at(Some(counter), |this| this.expr_inner(id, place));
        self.put_in_order(counter, &expr.kind);
        self.node(Node::Count { counter, body }, expr.span)
    }

    /// Lowers an action under a node of its own.
    pub(super) fn counted_action(&mut self, id: ExprId, place: &Place<'a>) -> ActId {
        let expr = self.spec.expr(id);
        if matches!(
            expr.kind,
            ExprKind::Label { .. } | ExprKind::BoxAction { .. } | ExprKind::Let { .. }
        ) {
            return self.action_inner(id, place);
        }
        let counter = self.open(expr.span);
        let act = self.counted_at(Some(counter), |this| this.action_inner(id, place));
        self.put_in_order(counter, &expr.kind);
        if let ExprKind::Apply { op: Operator::Definition(_), args } = &expr.kind {
            self.program.costs.nodes[counter as usize].names = args.is_empty();
        }
        let enabled = place.mode.enabled != 0;
        let assigns = matches!(
            self.program.acts[act.index()],
            Act::Assign(..) | Act::AssignIn(..) | Act::AssignSubset(..) | Act::Unchanged(_)
        );
        if assigns && !place.mode.init {
            let node = &mut self.program.costs.nodes[counter as usize];
            node.assigns = true;
            node.unchanged = matches!(self.program.acts[act.index()], Act::Unchanged(_));
        }
        let test = matches!(self.program.acts[act.index()], Act::Test(_));
        let when = match place.mode.init {
            _ if enabled => Counted::Never,
            true if assigns => Counted::Completion,
            false if assigns || test => Counted::Success,
            _ => Counted::Never,
        };
        // A test counts itself.
        let itself = match &self.program.acts[act.index()] {
            Act::Test(node) => {
                matches!(self.program.node(*node), Node::Count { counter: it, .. } if *it == counter)
            }
            _ => false,
        };
        self.act(Act::Count { counter, when, tested: !itself, body: act }, expr.span)
    }

    /// A test in an action, which shares the node of the action.
    pub(super) fn counted_test(&mut self, id: ExprId, place: &Place<'a>) -> ActId {
        let expr = self.spec.expr(id);
        let body = self.expr_inner(id, place);
        let native = matches!(
            self.program.node(body),
            Node::Arithmetic { .. } | Node::Native { .. } | Node::NativeSpecial { .. }
        );
        let node = match self.costing {
            Some(counter) if !native && !is_plain(&expr.kind) && !is_boolean(&expr.kind) => {
                self.node(Node::Count { counter, body }, expr.span)
            }
            _ => body,
        };
        self.act(Act::Test(node), expr.span)
    }

    /// The node of a tree behind a set, and what makes the set.
    fn maker(&self, set: NodeId) -> (Option<u32>, NodeId) {
        let (mut counter, mut it) = (None, set);
        loop {
            it = match self.program.node(it) {
                Node::Count { counter: at, body } => {
                    counter = Some(*at);
                    *body
                }
                Node::Enumerate { body, .. }
                | Node::Lazy { body, .. }
                | Node::Scope { body, .. } => *body,
                _ => return (counter, it),
            };
        }
    }

    /// The set of a bound with its steps counted, where it was made element by element. Steps through
    /// a subset count for the SUBSET it is from.
    pub(super) fn enumerated(&mut self, set: NodeId) -> NodeId {
        if self.costing.is_none() {
            return set;
        }
        let (counter, maker) = self.maker(set);
        let counter = match self.program.node(maker) {
            Node::SetEnum(_) | Node::Filter { .. } | Node::Map { .. } | Node::Product(_) => counter,
            Node::Local(slot) => self.subset_costs.get(&(self.frame().id, *slot)).copied(),
            _ => None,
        };
        let Some(counter) = counter else { return set };
        let span = self.program.span(set);
        self.node(Node::Enumerate { counter, body: set }, span)
    }

    /// Remembers that a slot holds the elements of a set.
    pub(super) fn holds_elements(&mut self, slot: Slot, set: NodeId) {
        if self.costing.is_none() {
            return;
        }
        let (counter, maker) = self.maker(set);
        if let (Some(counter), Node::Subset(_)) = (counter, self.program.node(maker)) {
            self.subset_costs.insert((self.frame().id, slot), counter);
        }
    }

    /// Puts the parts of a node in the order in which they are listed.
    fn put_in_order(&mut self, counter: u32, kind: &ExprKind) {
        let is_listed = |expr: &ExprId| !is_plain(&self.spec.expr(*expr).kind);
        let sets = |binders: &[Binder]| binders.iter().filter(|it| is_listed(&it.set)).count();
        let first = match kind {
            ExprKind::Quantified { binders, .. }
            | ExprKind::SetMap { binders, .. }
            | ExprKind::Function { binders, .. } => sets(binders),
            ExprKind::SetFilter { binder, .. } => sets(std::slice::from_ref(binder)),
            ExprKind::Choose { set: Some(set), .. } => usize::from(is_listed(set)),
            ExprKind::Apply { op: Operator::Definition(_) | Operator::Decl(_), args } => args
                .iter()
                .filter(|it| !matches!(it, Argument::Operator(OperatorArgument::Named(_))))
                .count(),
            _ => 0,
        };
        let children = &mut self.program.costs.nodes[counter as usize].children;
        if first <= children.len() {
            children.rotate_left(first);
        }
    }
}

/// What is no node of a tree: literals, and what stands for something else.
fn is_plain(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Error
            | ExprKind::Integer(_)
            | ExprKind::Decimal(_)
            | ExprKind::String(_)
            | ExprKind::Label { .. }
            | ExprKind::Let { .. }
            | ExprKind::AssumeProve
    )
}

/// `TRUE` and `FALSE`, which an action does not evaluate.
fn is_boolean(kind: &ExprKind) -> bool {
    use lockstep_semantic::hir::Builtin;
    matches!(kind, ExprKind::Apply { op: Operator::Builtin(Builtin::True | Builtin::False), .. })
}
