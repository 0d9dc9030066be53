//! The statements of a configuration: initial predicate and next-state relation, what to check,
//! what to evaluate.

use lockstep_semantic::config::ConfigName;
use lockstep_semantic::hir::{
    Argument, DeclId, DefinitionRef, ExprId, ExprKind, Level, Meaning, Operator,
};
use lockstep_syntax::{Diagnostic, Span};
use smol_str::SmolStr;

use super::Lowerer;
use super::apply::Resolved;
use super::env::{Mode, Place};
use super::split::Above;
use super::temporal::Conjunct;
use crate::ir::{Act, ActId, CostRoot, Property, TemporalProperty};

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
        self.invariants();
        self.behaviour();
        self.properties();
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
                        .also(definition.name_span, "it is defined here")
                        .help(format!(
                            "define what it means for some arguments, and name that: My{} == {}(…)",
                            name.name, name.name
                        )),
                    );
                    return None;
                }
                Some(reference)
            }
            Some(Meaning::Decl(decl)) => {
                let decl = self.spec.decl(*decl);
                self.errors.push(
                    Diagnostic::error(
                        "E2229",
                        name.span,
                        format!("{what} {} is declared, not defined", name.name),
                    )
                    .also(decl.span, "it is declared here")
                    .help("name a definition of the module"),
                );
                None
            }
            Some(Meaning::Instance { .. } | Meaning::Module(_)) | None => {
                let text = format!("{what} {} is not defined in the specification", name.name);
                let module = &self.spec.module(self.root).name;
                let help = match self.spec.similar_definition(self.root, &name.name) {
                    Some(close) => format!("did you mean `{close}`?"),
                    None => format!("define it in {module}, or let {module} extend its module"),
                };
                self.errors.push(Diagnostic::error("E2229", name.span, text).help(help));
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
        let lower = |this: &mut Self| {
            let resolved = Resolved::Definition(reference, this.root_place(STABLE));
            this.apply_resolved(&resolved, Vec::new(), (0, 0), STABLE, span)
        };
        let entry = self.entry(|this| this.counted(span, lower, |node| CostRoot::Node(*node)));
        Property { name: name.clone(), span, entry }
    }

    /// Whether a property has the same value in every state.
    fn is_constant(&self, reference: &'a DefinitionRef, property: &Property) -> bool {
        self.level_of(reference) == Level::Constant
            && self.effects(property.entry.node).is_constant()
    }

    /// Refuses a constant where something about states is due.
    fn refuse_constant(
        &mut self,
        name: &ConfigName,
        reference: &'a DefinitionRef,
        what: &str,
    ) -> bool {
        if self.level_of(reference) != Level::Constant {
            return false;
        }
        let property = self.property(&name.name, reference);
        if !self.is_constant(reference, &property) {
            return false;
        }
        self.errors.push(
            Diagnostic::error(
                "E2233",
                name.span,
                format!("the {what} {} is a constant", name.name),
            )
            .also(property.span, "it is defined here"),
        );
        true
    }

    /// A statement of the configuration. The value of one that says nothing about states is looked
    /// at before the search.
    fn about_states(
        &mut self,
        name: &ConfigName,
        reference: &'a DefinitionRef,
        what: &'static str,
    ) -> Property {
        let property = self.property(&name.name, reference);
        if self.is_constant(reference, &property) {
            self.program.constant_statements.push((what, property.clone()));
        }
        property
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
            (None, Some(init), next) => {
                if let Some(reference) = self.named(init, "INIT")
                    && !self.refuse_constant(init, reference, "initial predicate")
                {
                    let body = self.spec.definition(reference.definition).body;
                    let span = self.spec.expr(body).span;
                    let part = self.whole(&init.name, span, |this| this.act_of(reference, INIT));
                    self.program.init.push(part);
                }
                // A search says so where there is none; a walk ends at once.
                if let Some(next) = next
                    && let Some(reference) = self.named(next, "NEXT")
                    && !self.refuse_constant(next, reference, "next-state relation")
                {
                    self.next_of(reference, &next.name);
                }
            }
            (None, None, Some(next)) => {
                self.unknown("E2231", next.span, "the configuration gives no INIT".to_owned());
            }
            (None, None, None) => {
                // A module without variables has assumptions alone.
                let told = self.errors.iter().any(|it| it.code == "E2146");
                let needed = !self.spec.variables.is_empty() && !self.options.expressions_only;
                if needed && !told {
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
        if self.level_of(reference) == Level::Constant {
            let property = self.property(&name.name, reference);
            if self.is_constant(reference, &property) {
                self.program.constant_statements.push(("specification", property));
                return;
            }
        }
        let Some((body, inner)) = self.open_value_definition(reference, &place) else {
            self.unknown("E2237", name.span, format!("{} says nothing", name.name));
            return;
        };
        if let ExprKind::Apply { op: Operator::Decl(decl), .. } = &self.spec.expr(body).kind {
            let decl = self.spec.decl(*decl);
            self.errors.push(
                Diagnostic::error(
                    "E2236",
                    name.span,
                    format!("{} is {}, which is no specification", name.name, decl.name),
                )
                .also(decl.span, "it is declared here"),
            );
            return;
        }
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
                Conjunct::BoxAction { expr, action, place, span } => {
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
                    self.warn_of_subscript(expr, &place, span);
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

    /// Names the variables that the `v` of `[][N]_v` does not mention: steps that change them alone
    /// are no steps.
    fn warn_of_subscript(&mut self, expr: ExprId, place: &Place<'a>, span: Span) {
        let ExprKind::BoxAction { subscript, .. } = &self.spec.expr(expr).kind else { return };
        let mut mentioned = Vec::new();
        self.variables_of_subscript(*subscript, place, &mut mentioned);
        for decl in &self.spec.variables {
            if !mentioned.contains(decl) {
                let name = &self.spec.decl(*decl).name;
                self.program.warnings.push(Diagnostic::warning(
                    "W2140",
                    span,
                    format!(
                        "The subscript of the next-state relation specified by the specification\n\
                         does not seem to contain the state variable {name}"
                    ),
                ));
            }
        }
    }

    /// The variables in tuples, seen through definitions and concatenations.
    fn variables_of_subscript(&mut self, expr: ExprId, place: &Place<'a>, found: &mut Vec<DeclId>) {
        let (expr, place) = self.look_through(expr, place);
        match &self.spec.expr(expr).kind {
            ExprKind::Tuple(items) => {
                for item in items {
                    self.variables_of_subscript(*item, &place, found);
                }
            }
            ExprKind::Apply { op: Operator::Decl(decl), .. } => found.push(*decl),
            ExprKind::Apply { op: Operator::Definition(it), args }
                if self
                    .native(it.definition)
                    .is_some_and(|it| (it.module, it.name) == ("Sequences", "\\o")) =>
            {
                for arg in args {
                    if let Argument::Expr(arg) = arg {
                        self.variables_of_subscript(*arg, &place, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// INVARIANT.
    fn invariants(&mut self) {
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
                    .also(definition, "it is defined here")
                    .help(
                        "what holds of every step is a property: PROPERTY P, with P == [][A]_vars",
                    ),
                );
                continue;
            }
            let property = self.about_states(name, reference, "invariant");
            self.program.invariants.push(property);
        }
        self.program.n_plain_invariants = self.program.invariants.len();
    }

    /// PROPERTY.
    fn properties(&mut self) {
        let config = self.config;
        for name in &config.properties {
            if let Some(reference) = self.named(name, "PROPERTY") {
                self.check_property(name, reference);
            }
        }
    }

    fn check_property(&mut self, name: &ConfigName, reference: &'a DefinitionRef) {
        let place = self.root_place(STABLE);
        let span = self.span_of(reference);
        if self.level_of(reference) == Level::Constant {
            let property = self.about_states(name, reference, "property");
            self.program.initial_properties.push(property);
            return;
        }
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
                    let lower = |this: &mut Self| this.expr(expr, &place);
                    let entry =
                        self.entry(|this| this.counted(span, lower, |it| CostRoot::Node(*it)));
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
                            "E2272",
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
                let property = self.about_states(name, reference, "constraint");
                self.program.constraints.push(property);
            }
        }
        for name in &config.action_constraints {
            if let Some(reference) = self.named(name, "ACTION_CONSTRAINT") {
                let property = self.about_states(name, reference, "action constraint");
                self.program.action_constraints.push(property);
            }
        }
        if let Some(name) = config.view.as_ref()
            && let Some(reference) = self.named(name, "VIEW")
            && !self.refuse_constant(name, reference, "view")
        {
            self.program.view = Some(self.property(&name.name, reference));
        }
        self.program.symmetry = self.one(config.symmetry.as_ref(), "SYMMETRY");
        if let (Some(name), Some(property)) = (&config.symmetry, &self.program.symmetry) {
            let effects = self.effects(property.entry.node);
            if effects.reads_cur || effects.reads_next {
                let at = property.span;
                self.errors.push(
                    Diagnostic::error(
                        "E2280",
                        name.span,
                        format!("the symmetry {} depends on the state", name.name),
                    )
                    .also(at, "it is defined here"),
                );
            }
        }
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
