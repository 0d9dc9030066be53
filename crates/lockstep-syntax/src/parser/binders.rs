//! Bound identifiers: `x, y \in S`, `<<x, y>> \in S`, quantifiers, CHOOSE, and the brackets whose
//! first tokens leave open whether a binder or an expression begins.

use super::Parser;
use super::operator_chains::{Opened, Opening, Pending};
use crate::ast::{Binder, ExprId, ExprKind, Ident, Pattern, Quantifier};
use crate::diagnostic::Diagnostic;
use crate::operators::IN;
use crate::token::TokenKind;

/// What a bracket begins with.
pub(super) enum Start {
    /// `x \in S`, `<<x, y>> \in S`.
    Binder(Binder),
    /// Anything else.
    Expression(ExprId),
}

const IN_TOKEN: TokenKind = TokenKind::Op(IN);

impl Parser<'_> {
    /// `x, y \in S, <<a, b>> \in T`, or `x, y` without sets.
    pub(super) fn binders_or_names(&mut self) -> (Vec<Binder>, Vec<Ident>) {
        let mut binders = Vec::new();
        loop {
            if self.peek() == TokenKind::LeftAngle {
                let pattern = self.tuple_pattern();
                self.expect(IN_TOKEN, "`\\in`");
                let set = self.expression();
                binders.push(Binder { pattern, set });
            } else {
                let names = self.ident_list("a name to bind");
                if !self.eat(IN_TOKEN) {
                    if !binders.is_empty() && !self.stopped {
                        self.expected("`\\in`");
                    }
                    return (binders, names);
                }
                let set = self.expression();
                binders.push(Binder { pattern: Pattern::Names(names), set });
            }
            if !self.eat(TokenKind::Comma) {
                return (binders, Vec::new());
            }
        }
    }

    /// Binders with sets.
    pub(super) fn binders(&mut self) -> Vec<Binder> {
        let (binders, names) = self.binders_or_names();
        if !names.is_empty() && !self.stopped {
            self.expected("`\\in` and a set");
        }
        binders
    }

    /// `<<x, y>>`.
    pub(super) fn tuple_pattern(&mut self) -> Pattern {
        let open = self.bump();
        if self.peek() == TokenKind::RightAngle {
            let close = self.bump();
            let span = self.token_span(open).to(self.token_span(close));
            self.report(
                Diagnostic::error("E1023", span, "an empty tuple binds nothing")
                    .help("write names in it, or a single name instead of it"),
            );
            return Pattern::Tuple(Vec::new());
        }
        let names = self.ident_list("a name to bind");
        if !self.eat(TokenKind::RightAngle) {
            self.expected_closing("`,` or `>>`", open);
        }
        Pattern::Tuple(names)
    }

    /// `\A x \in S : p` and its like.
    pub(super) fn quantified(&mut self) -> ExprId {
        let token = self.bump();
        let quantifier = match token.kind {
            TokenKind::ForAll => Quantifier::ForAll,
            TokenKind::Exists => Quantifier::Exists,
            TokenKind::TemporalForAll => Quantifier::TemporalForAll,
            _ => Quantifier::TemporalExists,
        };
        let temporal =
            matches!(quantifier, Quantifier::TemporalForAll | Quantifier::TemporalExists);
        let (binders, names) = if temporal {
            (Vec::new(), self.ident_list("a name to bind"))
        } else {
            self.binders_or_names()
        };
        self.expect(TokenKind::Colon, "`,`, `\\in` or `:`");
        let body = self.expression();
        let span = self.span_from(token.start);
        let kind = if binders.is_empty() {
            ExprKind::Unbounded { quantifier, names, body }
        } else {
            ExprKind::Quantified { quantifier, binders, body }
        };
        self.add(span, kind)
    }

    /// `CHOOSE x \in S : p`.
    pub(super) fn choose(&mut self) -> ExprId {
        let start = self.bump().start;
        let pattern = if self.peek() == TokenKind::LeftAngle {
            self.tuple_pattern()
        } else {
            Pattern::Names(vec![self.ident("a name to bind")])
        };
        let set = if self.eat(IN_TOKEN) { Some(self.expression()) } else { None };
        self.expect(TokenKind::Colon, if set.is_some() { "`:`" } else { "`\\in` or `:`" });
        let body = self.expression();
        let span = self.span_from(start);
        self.add(span, ExprKind::Choose { pattern, set, body })
    }

    /// The first thing in `{` or `[`. It is a binder if a token that `ends_binder` accepts
    /// follows a set. `bracket` is the token index of the bracket.
    pub(super) fn binder_or_expression(
        &mut self,
        bracket: usize,
        ends_binder: fn(TokenKind) -> bool,
    ) -> Start {
        let Some(opening) = self.opening() else {
            return Start::Expression(self.expression());
        };
        let set_start = self.pos;
        if !self.wide_binders.contains(&bracket) {
            let (exprs, errors) = (self.exprs.len(), self.diagnostics.len());
            let pattern = opening.pattern.clone();
            match self.open_expression(opening, ends_binder) {
                Opened::Set(set) => return Start::Binder(Binder { pattern, set }),
                Opened::Expression(expr) => return Start::Expression(expr),
                Opened::WideBinder => {
                    // The cursor goes back once per bracket: the second time its brackets inside
                    // are known, so nesting costs no more than a square.
                    self.wide_binders.insert(bracket);
                    self.pos = set_start;
                    self.exprs.truncate(exprs);
                    self.diagnostics.truncate(errors);
                    let set = self.expression();
                    return Start::Binder(Binder { pattern, set });
                }
            }
        }
        let set = self.expression();
        Start::Binder(Binder { pattern: opening.pattern, set })
    }

    /// `x \in` or `<<x, y>> \in`, taken if they stand here.
    fn opening(&mut self) -> Option<Opening> {
        let n_tokens = match self.peek() {
            TokenKind::Ident => 1,
            TokenKind::LeftAngle => self.tuple_of_names()?,
            _ => return None,
        };
        if self.peek_at(n_tokens) != IN_TOKEN {
            return None;
        }
        let start = self.token().start;
        let pattern = if n_tokens == 1 {
            Pattern::Names(vec![self.ident("a name to bind")])
        } else {
            self.tuple_pattern()
        };
        let pattern_span = self.span_from(start);
        let token = self.bump();
        let span = self.token_span(token);
        let operator = Pending { op: IN, span, is_prefix: false };
        Some(Opening { pattern, pattern_span, operator })
    }

    /// How many tokens `<<x, y>>` has if that is what stands here.
    fn tuple_of_names(&self) -> Option<usize> {
        let mut ahead = 1;
        loop {
            if self.peek_at(ahead) != TokenKind::Ident {
                return None;
            }
            match self.peek_at(ahead + 1) {
                TokenKind::Comma => ahead += 2,
                TokenKind::RightAngle => return Some(ahead + 2),
                _ => return None,
            }
        }
    }
}
