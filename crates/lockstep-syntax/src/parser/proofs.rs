//! Theorems' bodies and proofs, after the grammar of TLA+2.
//!
//! A step's level is a number; `<*>` is the level of the step before it and `<+>` one more, at the
//! start of a proof both are one more than the level around it.

use super::Parser;
use crate::ast::{
    AssumeProve, Assumption, ExprId, ExprKind, Ident, Name, NewLevel, Proof, ProofKind, ProofStep,
    StepKind, UseOrHide,
};
use crate::diagnostic::Diagnostic;
use crate::operators::{BOX, IN};
use crate::source::Span;
use crate::token::{Token, TokenKind};

/// The level as written in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WrittenLevel {
    Number(i64),
    Star,
    Plus,
}

impl Parser<'_> {
    // ---- ASSUME / PROVE. ----

    /// Whether `ASSUME` or `[]ASSUME` stands here.
    pub(super) fn at_assume(&self) -> bool {
        match self.peek() {
            TokenKind::Assume => true,
            TokenKind::Op(BOX) => self.peek_at(1) == TokenKind::Assume,
            _ => false,
        }
    }

    /// `ASSUME a, NEW x \in S PROVE g`.
    pub(super) fn assume_prove(&mut self) -> ExprId {
        self.nested(|parser| {
            let start = parser.token().start;
            let boxed = parser.eat(TokenKind::Op(BOX));
            parser.bump();
            let mut assumptions = vec![parser.assumption()];
            while parser.eat(TokenKind::Comma) {
                assumptions.push(parser.assumption());
            }
            if boxed && parser.peek_at(1) == TokenKind::Prove {
                parser.eat(TokenKind::Op(BOX));
            }
            parser.expect(TokenKind::Prove, "an operator, `,` or PROVE");
            let goal = parser.expression();
            let span = parser.span_from(start);
            let body = AssumeProve { boxed, assumptions, goal };
            parser.add(span, ExprKind::AssumeProve(body))
        })
    }

    fn assumption(&mut self) -> Assumption {
        if self.at_assume() {
            return Assumption::Fact(self.assume_prove());
        }
        let new = self.eat(TokenKind::New);
        let level = match self.peek() {
            TokenKind::Constant => Some(NewLevel::Constant),
            TokenKind::Variable => Some(NewLevel::Variable),
            TokenKind::State => Some(NewLevel::State),
            TokenKind::Action => Some(NewLevel::Action),
            TokenKind::Temporal => Some(NewLevel::Temporal),
            _ => None,
        };
        if level.is_some() {
            self.bump();
        } else if !new {
            return Assumption::Fact(self.expression());
        }
        let decl = self.declaration();
        let set = if self.eat(TokenKind::Op(IN)) { Some(self.expression()) } else { None };
        Assumption::New { level: level.unwrap_or(NewLevel::Constant), decl, set }
    }

    // ---- Proofs. ----

    /// The parts of a step token: its level and what follows the `>`, dots removed.
    fn step_parts(&self, token: Token) -> (WrittenLevel, &str) {
        let text = self.token_text(token).trim_start_matches('<');
        let (level, rest) = text.split_once('>').unwrap_or((text, ""));
        let level = match level {
            "*" => WrittenLevel::Star,
            "+" => WrittenLevel::Plus,
            // Levels beyond any use are as good as the largest one.
            digits => WrittenLevel::Number(digits.parse::<u32>().unwrap_or(u32::MAX).into()),
        };
        (level, rest.trim_end_matches('.'))
    }

    /// The name by which a step token refers to a step.
    pub(super) fn step_name(&self, token: Token) -> Name {
        let (level, name) = self.step_parts(token);
        let level = match level {
            WrittenLevel::Number(level) => level,
            WrittenLevel::Star => self.proof_level.max(0),
            WrittenLevel::Plus => self.proof_level + 1,
        };
        Name::from(format!("<{level}>{name}"))
    }

    /// The proof of what stands before it, if there is one.
    pub(super) fn proof(&mut self) -> Option<Proof> {
        let start = self.token().start;
        let explicit = self.eat(TokenKind::Proof);
        let kind = match self.peek() {
            TokenKind::Obvious => {
                self.bump();
                ProofKind::Obvious
            }
            TokenKind::Omitted => {
                self.bump();
                ProofKind::Omitted
            }
            TokenKind::By => ProofKind::By(self.use_or_hide()),
            TokenKind::Step => {
                let level = self.new_proof_level(explicit)?;
                ProofKind::Steps(self.nested_structure(|parser| parser.steps(level))?)
            }
            _ if explicit => {
                self.expected("BY, OBVIOUS, OMITTED or a proof step after PROOF");
                return None;
            }
            _ => return None,
        };
        Some(Proof { span: self.span_from(start), kind })
    }

    /// The level of the proof that the current step token begins; `None` if it continues the
    /// proof around it.
    fn new_proof_level(&mut self, explicit: bool) -> Option<i64> {
        let token = self.token();
        let begins = explicit || self.proof_level < 0;
        match self.step_parts(token).0 {
            WrittenLevel::Plus => Some(self.proof_level + 1),
            WrittenLevel::Star => begins.then_some(self.proof_level + 1),
            WrittenLevel::Number(level) if level > self.proof_level => Some(level),
            WrittenLevel::Number(level) if explicit => {
                let span = self.token_span(token);
                self.report(
                    Diagnostic::error("E1020", span, "this step is not deeper than its proof")
                        .help(format!("a proof at this place needs a level above {level}")),
                );
                Some(self.proof_level + 1)
            }
            WrittenLevel::Number(_) => None,
        }
    }

    /// The steps of one level, up to QED.
    fn steps(&mut self, level: i64) -> Vec<ProofStep> {
        let outer = std::mem::replace(&mut self.proof_level, level);
        let mut steps = Vec::new();
        loop {
            let step = self.proof_step(level);
            let is_qed = matches!(step.kind, StepKind::Qed);
            steps.push(step);
            if is_qed || self.stopped {
                break;
            }
            let continues = self.peek() == TokenKind::Step
                && match self.step_parts(self.token()).0 {
                    WrittenLevel::Number(number) => number == level,
                    WrittenLevel::Star => true,
                    WrittenLevel::Plus => false,
                };
            if !continues {
                let token = self.token();
                let error = Diagnostic::error(
                    "E1020",
                    self.token_span(token),
                    format!(
                        "expected another step of level {level}, found {}",
                        self.describe(token)
                    ),
                )
                .label("the proof before this has no QED step")
                .help(format!("end the proof with `<{level}> QED`"));
                self.report(error);
                break;
            }
        }
        self.proof_level = outer;
        steps
    }

    fn proof_step(&mut self, level: i64) -> ProofStep {
        let token = self.bump();
        let (written, name) = self.step_parts(token);
        let implicit_level = !matches!(written, WrittenLevel::Number(_));
        let name = if name.is_empty() {
            None
        } else {
            let name = Name::from(format!("<{level}>{name}"));
            Some(Ident { name, span: self.token_span(token) })
        };
        let kind = self.step_kind();
        let provable = matches!(
            kind,
            StepKind::Assert { .. } | StepKind::Case(_) | StepKind::Pick { .. } | StepKind::Qed
        );
        let proof_start = self.token();
        let proof = self.proof();
        if let Some(proof) = &proof
            && !provable
        {
            let span = Span::new(self.file, proof_start.start, proof.span.end);
            let span = Span { end: span.end.min(proof_start.end), ..span };
            self.report(
                Diagnostic::error("E1020", span, "this kind of step takes no proof")
                    .label("the proof begins here")
                    .also(self.token_span(token), "the step"),
            );
        }
        ProofStep {
            level: u32::try_from(level).unwrap_or(u32::MAX),
            implicit_level,
            name,
            span: self.span_from(token.start),
            kind,
            proof,
        }
    }

    fn step_kind(&mut self) -> StepKind {
        match self.peek() {
            TokenKind::Qed => {
                self.bump();
                StepKind::Qed
            }
            TokenKind::Have => {
                self.bump();
                StepKind::Have(self.expression())
            }
            TokenKind::Take => {
                self.bump();
                let (binders, names) = self.binders_or_names();
                StepKind::Take { binders, names }
            }
            TokenKind::Witness => {
                self.bump();
                let mut witnesses = vec![self.expression()];
                while self.eat(TokenKind::Comma) {
                    witnesses.push(self.expression());
                }
                StepKind::Witness(witnesses)
            }
            TokenKind::Pick => {
                self.bump();
                let (binders, names) = self.binders_or_names();
                self.expect(TokenKind::Colon, "`,`, `\\in` or `:`");
                let body = self.expression();
                StepKind::Pick { binders, names, body }
            }
            TokenKind::Case => {
                let start = self.bump().start;
                let guard = self.expression();
                if self.peek() == TokenKind::Arrow {
                    let body = self.case_arms(start, Some(guard));
                    return StepKind::Assert { suffices: false, body };
                }
                StepKind::Case(guard)
            }
            TokenKind::Suffices => {
                self.bump();
                let body = if self.at_assume() { self.assume_prove() } else { self.expression() };
                StepKind::Assert { suffices: true, body }
            }
            TokenKind::Define => {
                self.bump();
                let mut units = vec![self.let_unit()];
                while self.peek() == TokenKind::Recursive
                    || self.peek() == TokenKind::Local
                    || self.is_definition(0)
                {
                    units.push(self.let_unit());
                }
                StepKind::Define(units)
            }
            TokenKind::Use | TokenKind::Hide => StepKind::UseOrHide(self.use_or_hide()),
            TokenKind::Instance => StepKind::Instance(self.instance()),
            _ if self.at_assume() => {
                let body = self.assume_prove();
                StepKind::Assert { suffices: false, body }
            }
            _ if self.is_definition(0) => StepKind::Define(vec![self.let_unit()]),
            _ => {
                let body = self.expression();
                StepKind::Assert { suffices: false, body }
            }
        }
    }

    /// `BY …`, `USE …`, `HIDE …`; the current token is that word.
    pub(super) fn use_or_hide(&mut self) -> UseOrHide {
        let hide = self.bump().kind == TokenKind::Hide;
        let only = self.eat(TokenKind::Only);
        let mut facts = Vec::new();
        let mut fact_modules = Vec::new();
        if self.peek() != TokenKind::Def {
            loop {
                if self.eat(TokenKind::Module) {
                    fact_modules.push(self.ident("a module name"));
                } else {
                    facts.push(self.expression());
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let mut definitions = Vec::new();
        let mut definition_modules = Vec::new();
        if self.eat(TokenKind::Def) {
            loop {
                match self.peek() {
                    TokenKind::Module => {
                        self.bump();
                        definition_modules.push(self.ident("a module name"));
                    }
                    TokenKind::Op(_) => definitions.push(self.operator_name()),
                    TokenKind::Ident | TokenKind::Step => {
                        let base = self.pending.len();
                        definitions.push(self.name_or_label(base));
                    }
                    _ => self.expected("the name of a definition"),
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        UseOrHide { hide, only, facts, fact_modules, definitions, definition_modules }
    }
}
