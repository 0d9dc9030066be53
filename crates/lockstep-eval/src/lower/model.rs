//! The statements of a configuration: initial predicate and next-state relation, what to check,
//! what to evaluate.

use lockstep_semantic::config::ConfigName;
use lockstep_semantic::hir::{DefinitionRef, ExprId, ExprKind, Level, Meaning, Operator};
use lockstep_syntax::{Diagnostic, Span};
use smol_str::SmolStr;

use super::Lowerer;
use super::apply::Resolved;
use super::env::{Mode, Place};
use super::split::Above;
use super::temporal::Conjunct;
use crate::ir::{Act, ActId, Property, TemporalProperty};

/// How expressions on complete states are read.
pub(super) const STABLE: Mode =
    Mode { primed: false, init: false, stable: true, enabled: 0, virtuals: 0 };
/// How Next is read.
pub(super) const NEXT: Mode =
    Mode { primed: false, init: false, stable: false, enabled: 0, virtuals: 0 };
/// How Init is read.
pub(super) const INIT: Mode =
    Mode { primed: false, init: true, stable: false, enabled: 0, virtuals: 0 };

impl<'a> Lowerer<'a> {
    /// Lowers everything that the configuration asks for.
    pub(super) fn model(&mut self) {
        let spec = self.spec;
        for assumption in &spec.assumptions {
            let expr = spec.expr(assumption.body);
            let place = Place { module: assumption.module, ..self.root_place(STABLE) };
            let entry = self.entry(|this| this.expr(assumption.body, &place));
            self.program.assumptions.push(Property {
                name: assumption.name.clone().unwrap_or_default(),
                span: expr.span,
                entry,
            });
        }
        self.constants();
        self.behaviour();
        self.checks();
        self.statements();
    }

    /// A constant must not be replaced by something that depends on the search.
    fn constants(&mut self) {
        let spec = self.spec;
        for decl in &spec.constants {
            let place = self.root_place(STABLE);
            let Some(super::bind::Replacement::Definition(target)) =
                self.replacement_of_decl(*decl, &place)
            else {
                continue;
            };
            let definition = spec.definition(target);
            if !definition.params.is_empty() {
                continue;
            }
            let entry = self.entry(|this| this.decl(*decl, &place, definition.name_span));
            if self.effects(entry.node).impure {
                self.errors.push(
                    Diagnostic::error(
                        "E2281",
                        definition.name_span,
                        format!(
                            "the constant {} is replaced by {}, which is not constant",
                            spec.decl(*decl).name,
                            definition.name
                        ),
                    )
                    .also(spec.decl(*decl).span, "the constant"),
                );
            }
        }
    }

    /// A definition without parameters that the configuration names.
    fn named(&mut self, name: &ConfigName, what: &str) -> Option<&'a DefinitionRef> {
        match self.spec.lookup(self.root, &name.name) {
            Some(Meaning::Definition(reference)) => {
                let definition = self.spec.definition(reference.definition);
                if !definition.params.is_empty() {
                    self.errors.push(
                        Diagnostic::error(
                            "E2228",
                            name.span,
                            format!("{what} {} must not take arguments", name.name),
                        )
                        .also(definition.name_span, "it is defined here"),
                    );
                    return None;
                }
                Some(reference)
            }
            Some(Meaning::Decl(decl)) => {
                let decl = self.spec.decl(*decl);
                self.errors.push(
                    Diagnostic::error(
                        "E2233",
                        name.span,
                        format!("{what} {} is declared, not defined", name.name),
                    )
                    .also(decl.span, "it is declared here"),
                );
                None
            }
            Some(Meaning::Instance { .. } | Meaning::Module(_)) | None => {
                self.unknown(
                    "E2229",
                    name.span,
                    format!("{what} {} is not defined in the specification", name.name),
                );
                None
            }
        }
    }

    /// The level of a definition as the configuration sees it.
    fn level_of(&self, reference: &DefinitionRef) -> Level {
        self.spec.definition(reference.definition).level
    }

    fn span_of(&self, reference: &DefinitionRef) -> Span {
        self.spec.definition(reference.definition).name_span
    }

    /// A definition evaluated on complete states.
    fn property(&mut self, name: &SmolStr, reference: &'a DefinitionRef) -> Property {
        let span = self.span_of(reference);
        let entry = self.entry(|this| {
            let resolved = Resolved::Definition(reference, this.root_place(STABLE));
            this.apply_resolved(&resolved, Vec::new(), (0, 0), STABLE, span)
        });
        Property { name: name.clone(), span, entry }
    }

    fn act_of(&mut self, reference: &'a DefinitionRef, mode: Mode) -> ActId {
        let place = self.root_place(mode);
        let span = self.span_of(reference);
        self.action_of(&Resolved::Definition(reference, place.clone()), &place, span)
    }

    /// INIT and NEXT, or SPECIFICATION.
    fn behaviour(&mut self) {
        let config = self.config;
        match (&config.specification, &config.init, &config.next) {
            (Some(name), None, None) => {
                if let Some(reference) = self.named(name, "SPECIFICATION") {
                    self.specification(name, reference);
                }
            }
            (Some(name), _, _) => {
                self.unknown(
                    "E2227",
                    name.span,
                    "a configuration gives either SPECIFICATION, or INIT and NEXT".to_owned(),
                );
            }
            (None, Some(init), Some(next)) => {
                if let Some(reference) = self.named(init, "INIT") {
                    let body = self.spec.definition(reference.definition).body;
                    let span = self.spec.expr(body).span;
                    let part = self.whole(&init.name, span, |this| this.act_of(reference, INIT));
                    self.program.init.push(part);
                }
                if let Some(reference) = self.named(next, "NEXT") {
                    self.next_of(reference, &next.name);
                }
            }
            (None, Some(init), None) => {
                self.unknown("E2232", init.span, "the configuration gives no NEXT".to_owned());
            }
            (None, None, Some(next)) => {
                self.unknown("E2231", next.span, "the configuration gives no INIT".to_owned());
            }
            (None, None, None) => {
                if !self.spec.variables.is_empty() && self.asks_for_behaviour() {
                    self.errors.push(Diagnostic::new(
                        "E2231",
                        lockstep_syntax::Severity::Error,
                        None,
                        "the configuration gives neither SPECIFICATION nor INIT and NEXT",
                    ));
                }
            }
        }
    }

    fn asks_for_behaviour(&self) -> bool {
        !self.config.invariants.is_empty() || !self.config.properties.is_empty()
    }

    fn next_of(&mut self, reference: &'a DefinitionRef, name: &str) {
        let place = self.root_place(NEXT);
        let definition = self.spec.definition(reference.definition);
        let opaque = definition.recursive || self.native(reference.definition).is_some();
        self.program.has_next = true;
        let opened = if opaque { None } else { self.open_value_definition(reference, &place) };
        self.program.actions = match opened {
            Some((body, inner)) if reference.path.is_empty() => {
                self.split(body, &inner, &Above::named(name))
            }
            _ => {
                let span = self.span_of(reference);
                vec![self.whole(name, span, |this| this.act_of(reference, NEXT))]
            }
        };
    }

    fn specification(&mut self, name: &ConfigName, reference: &'a DefinitionRef) {
        let place = self.root_place(NEXT);
        let Some((body, inner)) = self.open_value_definition(reference, &place) else {
            self.unknown("E2237", name.span, format!("{} says nothing", name.name));
            return;
        };
        let mut conjuncts = Vec::new();
        self.conjuncts(body, &inner, &mut conjuncts);
        let mut init: Vec<(ExprId, Place<'a>)> = Vec::new();
        let mut next: Option<(ExprId, Place<'a>, Span)> = None;
        let mut temporal: Vec<(ExprId, Place<'a>)> = Vec::new();
        for conjunct in conjuncts {
            match conjunct {
                Conjunct::State(expr, place) => {
                    if self.is_false(expr, &place) {
                        let span = self.spec.expr(expr).span;
                        self.errors.push(
                            Diagnostic::error(
                                "E2237",
                                name.span,
                                format!("the specification {} is trivially false", name.name),
                            )
                            .also(span, "this conjunct is FALSE"),
                        );
                    }
                    init.push((expr, place));
                }
                Conjunct::BoxAction { action, place, span, .. } => {
                    if let Some((_, _, first)) = &next {
                        let first = *first;
                        self.errors.push(
                            Diagnostic::error(
                                "E2240",
                                span,
                                "the specification has two next-state relations",
                            )
                            .also(first, "the first one"),
                        );
                    }
                    next = Some((action, place, span));
                }
                Conjunct::Invariant(expr, _) => {
                    let span = self.spec.expr(expr).span;
                    self.error(
                        "E2213",
                        span,
                        "a specification cannot have a conjunct []P with a state predicate P",
                    );
                }
                Conjunct::Temporal(expr, place) => temporal.push((expr, place)),
                Conjunct::Action(expr) => {
                    let span = self.spec.expr(expr).span;
                    self.error("E2239", span, "this conjunct of the specification is an action");
                }
            }
        }
        let span = self.span_of(reference);
        if init.is_empty() && !self.spec.variables.is_empty() {
            self.error("E2231", span, "the specification has no initial predicate");
        }
        if !init.is_empty() {
            // The initial predicate is named by its definition, if it is one.
            let (name, span) = match init.as_slice() {
                [(expr, _)] => match &self.spec.expr(*expr).kind {
                    ExprKind::Apply { op: Operator::Definition(reference), .. } => {
                        let definition = self.spec.definition(reference.definition);
                        (definition.name.clone(), self.spec.expr(definition.body).span)
                    }
                    _ => ("Init".into(), self.spec.expr(*expr).span),
                },
                _ => ("Init".into(), span),
            };
            let part = self.whole(&name, span, |this| {
                let acts: Vec<ActId> = init
                    .iter()
                    .map(|(expr, place)| {
                        let mode = Mode { virtuals: place.mode.virtuals, ..INIT };
                        this.action(*expr, &place.with_mode(mode))
                    })
                    .collect();
                match acts.as_slice() {
                    [one] => *one,
                    _ => this.act(Act::And(acts.into()), span),
                }
            });
            self.program.init.push(part);
        }
        if let Some((action, place, _)) = next {
            self.program.has_next = true;
            self.program.actions =
                self.split(action, &place.with_mode(NEXT), &Above::named("Action"));
        }
        for (expr, place) in temporal {
            let span = self.spec.expr(expr).span;
            if let Some(formula) = self.temporal(expr, &place.with_mode(STABLE)) {
                self.program.fairness.push(TemporalProperty {
                    name: name.name.clone(),
                    span,
                    formula,
                });
            }
        }
    }

    /// INVARIANT and PROPERTY.
    fn checks(&mut self) {
        let config = self.config;
        let mut names: Vec<ConfigName> = config.invariants.clone();
        for name in &self.options.extra_invariants {
            names.push(ConfigName {
                name: name.as_str().into(),
                span: Span::new(lockstep_syntax::FileId(0), 0, 0),
            });
        }
        for name in &names {
            let Some(reference) = self.named(name, "INVARIANT") else { continue };
            let level = self.level_of(reference);
            if level > Level::State {
                let definition = self.span_of(reference);
                self.errors.push(
                    Diagnostic::error(
                        "E2146",
                        name.span,
                        format!("the invariant {} is not a state predicate", name.name),
                    )
                    .also(definition, "it is defined here"),
                );
                continue;
            }
            if level == Level::Constant {
                let span = self.span_of(reference);
                self.program.warnings.push(Diagnostic::warning(
                    "W2149",
                    span,
                    format!("the invariant {} is constant", name.name),
                ));
            }
            let property = self.property(&name.name, reference);
            self.program.invariants.push(property);
        }
        self.program.n_plain_invariants = self.program.invariants.len();
        for name in &config.properties {
            if let Some(reference) = self.named(name, "PROPERTY") {
                self.check_property(name, reference);
            }
        }
    }

    fn check_property(&mut self, name: &ConfigName, reference: &'a DefinitionRef) {
        let place = self.root_place(STABLE);
        let span = self.span_of(reference);
        let Some((body, inner)) = self.open_value_definition(reference, &place) else {
            let property = self.property(&name.name, reference);
            self.program.initial_properties.push(property);
            return;
        };
        let mut conjuncts = Vec::new();
        self.conjuncts(body, &inner, &mut conjuncts);
        for conjunct in conjuncts {
            match conjunct {
                Conjunct::State(expr, place) => {
                    let span = self.spec.expr(expr).span;
                    let entry = self.entry(|this| this.expr(expr, &place));
                    self.program.initial_properties.push(Property {
                        name: name.name.clone(),
                        span,
                        entry,
                    });
                }
                Conjunct::Invariant(expr, place) => {
                    let span = self.spec.expr(expr).span;
                    let entry = self.entry(|this| this.expr(expr, &place));
                    self.program.invariants.push(Property { name: name.name.clone(), span, entry });
                }
                Conjunct::BoxAction { expr, place, span, .. } => {
                    let entry = self.entry(|this| this.expr(expr, &place));
                    self.program.action_properties.push(Property {
                        name: name.name.clone(),
                        span,
                        entry,
                    });
                }
                Conjunct::Temporal(expr, place) => {
                    let span = self.spec.expr(expr).span;
                    if let Some(formula) = self.temporal(expr, &place) {
                        self.program.temporal_properties.push(TemporalProperty {
                            name: name.name.clone(),
                            span,
                            formula,
                        });
                    }
                }
                Conjunct::Action(expr) => {
                    let at = self.spec.expr(expr).span;
                    self.errors.push(
                        Diagnostic::error(
                            "E2241",
                            at,
                            format!(
                                "the property {} is an action, which no behaviour can satisfy or \
                                 violate",
                                name.name
                            ),
                        )
                        .also(span, "the property")
                        .help("write [][A]_v"),
                    );
                }
            }
        }
    }

    /// The remaining statements.
    fn statements(&mut self) {
        let config = self.config;
        for name in &config.constraints {
            if let Some(reference) = self.named(name, "CONSTRAINT") {
                let property = self.property(&name.name, reference);
                self.program.constraints.push(property);
            }
        }
        for name in &config.action_constraints {
            if let Some(reference) = self.named(name, "ACTION_CONSTRAINT") {
                let property = self.property(&name.name, reference);
                self.program.action_constraints.push(property);
            }
        }
        self.program.view = self.one(config.view.as_ref(), "VIEW");
        self.program.symmetry = self.one(config.symmetry.as_ref(), "SYMMETRY");
        self.program.alias = self.alias(config.alias.as_ref());
        self.program.periodic = self.one(config.periodic.as_ref(), "_PERIODIC");
        self.program.rl_reward = self.one(config.rl_reward.as_ref(), "_RL_REWARD");
        for name in &config.postconditions {
            if let Some(reference) = self.named(name, "POSTCONDITION") {
                let property = self.property(&name.name, reference);
                self.program.postconditions.push(property);
            }
        }
        for name in &config.possible {
            if let Some(reference) = self.named(name, "_POSSIBLE") {
                let about_step = self.level_of(reference) >= Level::Action;
                let property = self.property(&name.name, reference);
                self.program.possible.push((property, about_step));
            }
        }
    }

    /// ALIAS: a name that nothing defines is passed over, states are then shown as they are.
    fn alias(&mut self, name: Option<&ConfigName>) -> Option<Property> {
        let name = name?;
        if self.spec.lookup(self.root, &name.name).is_none() {
            self.program.warnings.push(Diagnostic::warning(
                "W2229",
                name.span,
                format!("ALIAS {} is not defined; states are shown without it", name.name),
            ));
            return None;
        }
        self.one(Some(name), "ALIAS")
    }

    fn one(&mut self, name: Option<&ConfigName>, what: &str) -> Option<Property> {
        let name = name?;
        let reference = self.named(name, what)?;
        Some(self.property(&name.name, reference))
    }
}
