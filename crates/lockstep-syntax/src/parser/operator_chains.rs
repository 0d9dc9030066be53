//! Chains of operators and operands, resolved by precedence ranges (*Specifying Systems* §15.2.1).
//!
//! A shift-reduce loop with explicit stacks, so a chain of a million operators needs no recursion.
//! Neighbours decide: [`crate::operators::binding`] compares the operator before an operand with
//! the one after it. Prefix operators never conflict with what stands before them.

use super::Parser;
use crate::ast::{ExprId, ExprKind, Pattern};
use crate::operators::{AND, Binding, Fix, MINUS, NEGATE, OR, OperatorId, TIMES, binding};
use crate::source::Span;
use crate::token::{Token, TokenKind};

/// An operator that waits for its right operand.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    pub(super) op: OperatorId,
    pub(super) span: Span,
    pub(super) is_prefix: bool,
}

/// `x \in` or `<<x, y>> \in`, read before it is clear whether a binder or an expression begins.
pub(super) struct Opening {
    pub(super) pattern: Pattern,
    pub(super) pattern_span: Span,
    pub(super) operator: Pending,
}

/// What an [`Opening`] turned out to be.
pub(super) enum Opened {
    /// A binder: this is its set.
    Set(ExprId),
    /// An expression, the opening included.
    Expression(ExprId),
    /// A binder whose set holds operators that bind no tighter than `\in`; the chain was parsed
    /// as an expression and has to be parsed again.
    WideBinder,
}

/// Stands for the operand of an [`Opening`] until an operator takes it.
const UNMADE: ExprId = ExprId(u32::MAX);

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> ExprId {
        self.nested(|parser| {
            let mut opening = None;
            let (pending, operands) = (parser.pending.len(), parser.operands.len());
            parser.chain(pending, &mut opening);
            parser.reduce_to(pending, &mut opening);
            let result = parser.operands.pop().unwrap_or(UNMADE);
            debug_assert_eq!(parser.operands.len(), operands);
            result
        })
    }

    /// An expression or a binder that begins with `opening`; it is a binder if a token that
    /// `ends_binder` accepts follows.
    pub(super) fn open_expression(
        &mut self,
        opening: Opening,
        ends_binder: fn(TokenKind) -> bool,
    ) -> Opened {
        self.nested(|parser| {
            let (pending, operands) = (parser.pending.len(), parser.operands.len());
            parser.pending.push(opening.operator);
            parser.operands.push(UNMADE);
            let mut opening = Some(opening);
            parser.chain(pending, &mut opening);
            parser.reduce_to(pending + 1, &mut opening);
            let is_binder = ends_binder(parser.peek());
            if is_binder && opening.is_some() {
                let set = parser.operands.pop().unwrap_or(UNMADE);
                parser.operands.truncate(operands);
                parser.pending.truncate(pending);
                return Opened::Set(set);
            }
            parser.reduce_to(pending, &mut opening);
            let result = parser.operands.pop().unwrap_or(UNMADE);
            debug_assert_eq!(parser.operands.len(), operands);
            if is_binder { Opened::WideBinder } else { Opened::Expression(result) }
        })
    }

    /// Reads operands and operators until something else comes. Leaves the operators that are
    /// still open above `base` in `pending`.
    fn chain(&mut self, base: usize, opening: &mut Option<Opening>) {
        let mut reported = false;
        loop {
            self.prefix_operators();
            let operand = self.operand(base);
            let operand = self.postfix(operand, base);
            self.operands.push(operand);
            let TokenKind::Op(op) = self.peek() else { break };
            if !op.get().is_infix() {
                break;
            }
            let token = self.token();
            let span = self.token_span(token);
            while self.pending.len() > base {
                let top = self.pending[self.pending.len() - 1];
                match binding(top.op, op) {
                    Binding::Right => break,
                    Binding::Left => {}
                    Binding::Conflict => {
                        if !reported {
                            self.conflict((top.op, top.span), (op, span));
                            reported = true;
                        }
                    }
                }
                self.reduce(opening);
            }
            self.bump();
            self.pending.push(Pending { op, span, is_prefix: false });
        }
    }

    fn prefix_operators(&mut self) {
        while let TokenKind::Op(op) = self.peek() {
            let op = match op {
                MINUS => NEGATE,
                // `-.` is the operator's name and takes its argument in parentheses.
                NEGATE => break,
                op => op,
            };
            if op.get().fix != Fix::Prefix {
                break;
            }
            let token = self.bump();
            let span = self.token_span(token);
            self.pending.push(Pending { op, span, is_prefix: true });
        }
    }

    /// `[i]`, `.field` and postfix operators after an operand.
    fn postfix(&mut self, operand: ExprId, base: usize) -> ExprId {
        let mut result = operand;
        loop {
            match self.peek() {
                TokenKind::LeftBracket => result = self.application(result),
                TokenKind::Dot => {
                    self.bump();
                    let field = self.field_name();
                    let span = self.span_from(self.span_of(result).start);
                    result = self.add(span, ExprKind::Field { record: result, field });
                }
                TokenKind::Op(op) if op.get().fix == Fix::Postfix => {
                    let token = self.bump();
                    let before = self.pending.get(base..).and_then(|open| open.last()).copied();
                    if let Some(top) = before
                        && binding(top.op, op) == Binding::Conflict
                    {
                        self.conflict((top.op, top.span), (op, self.token_span(token)));
                    }
                    let span = self.span_from(self.span_of(result).start);
                    let op = self.operator_ident(token, op);
                    result = self.add(span, ExprKind::Postfix { op, arg: result });
                }
                _ => return result,
            }
        }
    }

    fn reduce_to(&mut self, base: usize, opening: &mut Option<Opening>) {
        while self.pending.len() > base {
            self.reduce(opening);
        }
    }

    /// Gives the innermost open operator its operands.
    fn reduce(&mut self, opening: &mut Option<Opening>) {
        let Some(top) = self.pending.pop() else { return };
        let Some(right) = self.operands.pop() else { return };
        let op = crate::ast::Ident {
            name: crate::ast::Name::new_static(top.op.get().name),
            span: top.span,
        };
        if top.is_prefix {
            let span = top.span.to(self.span_of(right));
            let made = self.add(span, ExprKind::Prefix { op, arg: right });
            return self.operands.push(made);
        }
        let Some(mut left) = self.operands.pop() else { return };
        if left == UNMADE {
            left = match opening.take() {
                Some(opening) => self.opened_operand(opening),
                None => self.error_expr(),
            };
        }
        let span = self.span_of(left).to(self.span_of(right));
        let made = if top.op == TIMES {
            // `a \X b \X c` is one product; in `(a \X b) \X c` the left side is a `Parens`.
            let expr = &mut self.exprs[left.0 as usize];
            if let ExprKind::Product(factors) = &mut expr.kind {
                factors.push(right);
                expr.span = span;
                return self.operands.push(left);
            }
            self.add(span, ExprKind::Product(vec![left, right]))
        } else {
            self.add(span, ExprKind::Infix { op, left, right })
        };
        self.operands.push(made);
    }

    /// Makes the left operand of the `\in` of an opening that is an expression after all.
    fn opened_operand(&mut self, opening: Opening) -> ExprId {
        match opening.pattern {
            Pattern::Names(names) => {
                let made: Vec<_> =
                    names.into_iter().map(|name| self.plain_name(name.name, name.span)).collect();
                made[0]
            }
            Pattern::Tuple(names) => {
                let items =
                    names.into_iter().map(|name| self.plain_name(name.name, name.span)).collect();
                self.add(opening.pattern_span, ExprKind::Tuple(items))
            }
        }
    }

    /// Whether a token is `/\` or `\/` written as a symbol; `\land` makes no bullet.
    pub(super) fn is_bullet(&self, token: Token) -> bool {
        matches!(token.kind, TokenKind::Op(AND | OR))
            && !matches!(self.token_text(token), "\\land" | "\\lor")
    }

    /// `lab :: a + b` after an operator: without the label the tree must be the same.
    pub(super) fn check_label(&mut self, body: ExprId, base: usize) {
        let Some(before) = self.pending.get(base..).and_then(|open| open.last()).copied() else {
            return;
        };
        let inner = match &self.exprs[body.0 as usize].kind {
            ExprKind::Infix { op, .. } => (OperatorId::by_name(&op.name), op.span),
            ExprKind::Product(_) => (Some(TIMES), self.span_of(body)),
            _ => return,
        };
        if let (Some(op), span) = inner
            && binding(before.op, op) != Binding::Right
        {
            self.conflict((before.op, before.span), (op, span));
        }
    }
}
