//! Theorems, ASSUME/PROVE and proofs: their names are checked, then they are dropped.
//!
//! Nothing a proof declares is left in the specification's scopes; its expressions stay in the
//! arena for level checking.

use lockstep_syntax::ast::{
    self, AssumeProve, Assumption, Ident, Name, NewLevel, Proof, ProofKind, ProofStep, Selector,
    StepKind, Unit,
};
use lockstep_syntax::{Diagnostic, Span};

use super::{LabelContext, Resolver};
use crate::check::{Check, StepCheck};
use crate::hir::{Binder, DefinitionId, DefinitionKind, ExprId, ExprKind, Level, LocalId};
use crate::levels::Role;
use crate::scope::{Step, Symbol};

/// Names that stay visible after the text that declares them.
type Declared = Vec<(Ident, LocalId)>;

impl Resolver<'_> {
    /// `THEOREM Name == body proof`.
    pub(super) fn theorem(
        &mut self,
        unit: &Unit,
        name: Option<&Ident>,
        body: ast::ExprId,
        proof: Option<&Proof>,
    ) {
        let definition =
            name.map(|name| self.new_definition(name, unit.span, DefinitionKind::Fact, Vec::new()));
        let mark = self.scope.mark();
        let (statement, declared) = self.stated(definition, body);
        self.scope.restore(mark);
        if let (Some(id), Some(name)) = (definition, name) {
            self.fact(id, name, statement, unit.local);
        } else {
            self.checks.push(Check::Expr(statement));
        }
        if let Some(proof) = proof {
            self.depth += 1;
            let mark = self.scope.mark();
            self.redeclare(&declared);
            let first = self.spec.exprs.len();
            self.proof(proof, self.goal_of(statement));
            self.spec.proofs.push(first..self.spec.exprs.len());
            self.scope.restore(mark);
            self.depth -= 1;
        }
    }

    /// Resolves a statement and says which names it declares; they are left in scope.
    fn stated(
        &mut self,
        definition: Option<DefinitionId>,
        body: ast::ExprId,
    ) -> (ExprId, Declared) {
        let outer = std::mem::take(&mut self.declared);
        let statement = self.in_definition(definition, |it| it.statement(body));
        let declared = std::mem::replace(&mut self.declared, outer);
        (statement, declared)
    }

    /// `@` in a step stands for the right side of the step before.
    fn chained<T>(&mut self, span: Span, resolve: impl FnOnce(&mut Self) -> T) -> T {
        let at = self.new_local(&Name::new_static("@"), span, 0, Role::Bound);
        self.chain = Some(at);
        let result = resolve(self);
        self.chain = None;
        result
    }

    fn redeclare(&mut self, declared: &Declared) {
        for (ident, local) in declared {
            self.scope.set(ident.name.clone(), Symbol::Local(*local), ident.span);
        }
    }

    /// What has to be proved for a statement.
    fn goal_of(&self, statement: ExprId) -> ExprId {
        match self.assume_proves.get(&statement) {
            Some(parts) => parts.last().copied().unwrap_or(statement),
            None => statement,
        }
    }

    /// `ASSUME … PROVE …`.
    pub(super) fn assume_prove(&mut self, it: &AssumeProve, span: Span, inner: bool) -> ExprId {
        let mark = self.scope.mark();
        let mut declared = Declared::new();
        let mut parts = Vec::new();
        let mut outer_labels = None;
        for assumption in &it.assumptions {
            match assumption {
                Assumption::Fact(fact) => {
                    let fact = self.inner_statement(*fact);
                    parts.push(fact);
                }
                Assumption::New { level, decl, set } => {
                    let set = set.map(|set| self.value(set));
                    let role = Role::New(match level {
                        NewLevel::Constant => Level::Constant,
                        NewLevel::Variable | NewLevel::State => Level::State,
                        NewLevel::Action => Level::Action,
                        NewLevel::Temporal => Level::Temporal,
                    });
                    let local = self.bind(&decl.name, decl.arity, role);
                    declared.push((decl.name.clone(), local));
                    if let Some(set) = set {
                        self.checks.push(Check::NewBound(set));
                    }
                    let placeholder = match set {
                        Some(set) => set,
                        None => self.expr(decl.name.span, ExprKind::Error),
                    };
                    parts.push(placeholder);
                    if inner && outer_labels.is_none() {
                        let labels = &mut self.context().labels;
                        outer_labels = Some(std::mem::replace(labels, LabelContext::InnerAssume));
                    }
                }
            }
        }
        let goal = self.inner_statement(it.goal);
        parts.push(goal);
        if let Some(labels) = outer_labels {
            self.context().labels = labels;
        }
        if inner {
            self.scope.restore(mark);
        } else {
            self.declared.extend(declared);
        }
        let id = self.expr(span, ExprKind::AssumeProve);
        self.assume_proves.insert(id, parts);
        id
    }

    /// An assumption, which may be an ASSUME/PROVE of its own, perhaps labelled.
    fn inner_statement(&mut self, id: ast::ExprId) -> ExprId {
        let ast = self.tree();
        let expr = ast.expr(id);
        match &expr.kind {
            ast::ExprKind::Parens(inner) => self.inner_statement(*inner),
            ast::ExprKind::AssumeProve(it) => self.assume_prove(it, expr.span, true),
            ast::ExprKind::Label { name, params, body } => {
                let body = self.label(name, params, |it| it.inner_statement(*body));
                if self.assume_proves.contains_key(&body) {
                    return body;
                }
                self.expr(expr.span, ExprKind::Label { name: name.name.clone(), body })
            }
            _ => self.value(id),
        }
    }

    fn proof(&mut self, proof: &Proof, goal: ExprId) {
        match &proof.kind {
            ProofKind::Obvious | ProofKind::Omitted => {}
            ProofKind::By(facts) => self.use_or_hide(facts),
            ProofKind::Steps(steps) => {
                let mark = self.scope.mark();
                for step in steps {
                    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
                        self.proof_step(step, goal);
                    });
                }
                self.scope.restore(mark);
            }
        }
    }

    /// One step of a proof of `goal`; SUFFICES does not change what the level rules see as the goal.
    fn proof_step(&mut self, step: &ProofStep, goal: ExprId) {
        let text = self.spec.sources.text(step.span);
        if let Some(name) = &step.name
            && (text.starts_with("<*>") || text.starts_with("<+>"))
        {
            let name = name.clone();
            self.report(
                Diagnostic::error(
                    "E4350",
                    name.span,
                    "a step whose level is `<*>` or `<+>` cannot have a name",
                )
                .label("named here")
                .help(format!("write its level: `<{}>`", step.level)),
            );
        }
        // What is visible in the step's own proof, what after it, and the goals of both.
        let mut inside = Declared::new();
        let mut after = Declared::new();
        let mut own_goal = goal;
        let symbol;
        let mark = self.scope.mark();
        match &step.kind {
            StepKind::Assert { suffices, body } => {
                let definition = self.step_definition(step);
                let (statement, declared) =
                    self.chained(step.span, |it| it.stated(definition, *body));
                self.scope.restore(mark);
                if let Some(id) = definition {
                    self.spec.definitions[id.index()].body = statement;
                    self.facts.insert(id);
                    self.checks.push(Check::Definitions(vec![id]));
                } else {
                    self.checks.push(Check::Expr(statement));
                }
                own_goal = self.goal_of(statement);
                symbol = match definition {
                    // As an expression an ASSUME/PROVE has an error of its own.
                    Some(id) if !*suffices || self.assume_proves.contains_key(&statement) => {
                        Step::Formula(id)
                    }
                    part => Step::Other { keyword: "SUFFICES", part },
                };
                if *suffices {
                    after = declared;
                } else {
                    inside = declared;
                }
            }
            StepKind::Case(body) => {
                let definition = self.step_definition(step);
                let case = self.in_definition(definition, |it| it.value(*body));
                self.checks.push(Check::Step(StepCheck::Case, case, goal));
                symbol = self.parts("CASE", definition, step.span, ExprKind::Tuple(vec![case]));
            }
            StepKind::Have(body) => {
                let definition = self.step_definition(step);
                let have = self.in_definition(definition, |it| it.value(*body));
                self.checks.push(Check::Step(StepCheck::Other, have, goal));
                symbol = self.parts("HAVE", definition, step.span, ExprKind::Tuple(vec![have]));
            }
            StepKind::Take { binders, names } => {
                let sets = self.binder_sets(binders);
                for set in &sets {
                    self.checks.push(Check::Step(StepCheck::Other, *set, goal));
                }
                after = self.new_names(binders, names);
                symbol = Step::Other { keyword: "TAKE", part: None };
            }
            StepKind::Witness(items) => {
                let definition = self.step_definition(step);
                let items: Vec<ExprId> = self.in_definition(definition, |it| {
                    items.iter().map(|item| it.value(*item)).collect()
                });
                for item in &items {
                    self.checks.push(Check::Step(StepCheck::Other, *item, goal));
                }
                symbol = self.parts("WITNESS", definition, step.span, ExprKind::Tuple(items));
            }
            StepKind::Pick { binders, names, body } => {
                let sets = self.binder_sets(binders);
                after = self.new_names(binders, names);
                let definition = self.step_definition(step);
                let body = self.in_definition(definition, |it| it.value(*body));
                self.scope.restore(mark);
                self.checks.push(Check::Expr(body));
                for set in &sets {
                    self.checks.push(Check::Step(StepCheck::Pick, *set, body));
                }
                own_goal = body;
                let locals: Vec<LocalId> = after.iter().map(|(_, local)| *local).collect();
                let kind = if sets.is_empty() {
                    ExprKind::Unbounded { for_all: false, locals, body }
                } else {
                    let mut locals = locals.into_iter();
                    let binders = binders
                        .iter()
                        .zip(sets)
                        .map(|(binder, set)| Binder {
                            locals: locals.by_ref().take(binder.pattern.names().len()).collect(),
                            tuple: matches!(binder.pattern, ast::Pattern::Tuple(_)),
                            set,
                        })
                        .collect();
                    ExprKind::Quantified { for_all: false, binders, body }
                };
                symbol = self.parts("PICK", definition, step.span, kind);
            }
            StepKind::Define(units) => {
                for unit in units {
                    if let Some(id) = self.definition_unit(unit) {
                        self.checks.push(Check::Definitions(vec![id]));
                    }
                }
                symbol = Step::Other { keyword: "DEFINE", part: None };
            }
            StepKind::Instance(instance) => {
                self.proof_instance(instance);
                symbol = Step::Other { keyword: "INSTANCE", part: None };
            }
            StepKind::UseOrHide(facts) => {
                self.use_or_hide(facts);
                let keyword = if facts.hide { "HIDE" } else { "USE" };
                symbol = Step::Other { keyword, part: None };
            }
            StepKind::Qed => symbol = Step::Other { keyword: "QED", part: None },
        }
        if let Some(name) = &step.name {
            self.declare_step(name, symbol);
        }
        if let Some(proof) = &step.proof {
            let mark = self.scope.mark();
            self.redeclare(&inside);
            self.proof(proof, own_goal);
            self.scope.restore(mark);
        }
        self.redeclare(&after);
    }

    /// A step that is no formula, but has parts that can be named.
    fn parts(
        &mut self,
        keyword: &'static str,
        part: Option<DefinitionId>,
        span: Span,
        kind: ExprKind,
    ) -> Step {
        if let Some(id) = part {
            let body = self.expr(span, kind);
            self.spec.definitions[id.index()].body = body;
            self.checks.push(Check::Definitions(vec![id]));
        }
        Step::Other { keyword, part }
    }

    fn declare_step(&mut self, name: &Ident, step: Step) {
        let before = self.scope.get(&name.name).and_then(|entry| entry.span);
        if let Some(before) = before {
            self.report(
                Diagnostic::warning(
                    "W4801",
                    name.span,
                    format!("there is already a step `{}` here", name.name),
                )
                .label("the second one")
                .also(before, "the first one"),
            );
        }
        self.scope.set(name.name.clone(), Symbol::Step(step), name.span);
    }

    /// A definition that a named step's labels and parts belong to.
    fn step_definition(&mut self, step: &ProofStep) -> Option<DefinitionId> {
        let name = step.name.as_ref()?;
        Some(self.new_definition(name, step.span, DefinitionKind::Fact, Vec::new()))
    }

    /// Names of a TAKE or PICK; left in scope.
    fn new_names(&mut self, binders: &[ast::Binder], names: &[Ident]) -> Declared {
        binders
            .iter()
            .flat_map(|it| it.pattern.names())
            .chain(names)
            .map(|name| (name.clone(), self.bind(name, 0, Role::New(Level::Constant))))
            .collect()
    }

    /// `BY`, `USE` and `HIDE`.
    pub(super) fn use_or_hide(&mut self, it: &ast::UseOrHide) {
        self.depth += 1;
        for fact in &it.facts {
            self.used_fact(*fact, it.hide);
        }
        for definition in &it.definitions {
            self.used_definition(*definition);
        }
        self.depth -= 1;
    }

    fn used_fact(&mut self, fact: ast::ExprId, hide: bool) {
        let ast = self.tree();
        let expr = ast.expr(fact);
        let plain = match &expr.kind {
            ast::ExprKind::Name(steps) => steps.last().filter(|it| it.args.is_empty()),
            _ => None,
        };
        if let (ast::ExprKind::Name(steps), Some(_)) = (&expr.kind, plain) {
            if let [step] = steps.as_slice()
                && let Selector::Name(name) = &step.selector
            {
                let symbol = self.scope.get(name).map(|entry| entry.symbol.clone());
                match symbol {
                    Some(Symbol::Step(Step::Other {
                        keyword: keyword @ ("DEFINE" | "INSTANCE" | "USE" | "HIDE" | "QED"),
                        ..
                    })) => {
                        self.report(
                            Diagnostic::error(
                                "E4357",
                                step.span,
                                format!("step `{name}` is a {keyword} step, not a fact"),
                            )
                            .label("it states nothing"),
                        );
                        return;
                    }
                    Some(Symbol::Step(_)) => return,
                    Some(Symbol::Definition { id, .. }) if self.facts.contains(&id) => {
                        return;
                    }
                    _ => {}
                }
            }
            let before = self.diagnostics.len();
            let target = self.path(steps, expr.span);
            let found = target.is_some() || self.diagnostics.len() == before;
            let is_fact = match target.map(|it| it.callee) {
                Some(super::Callee::Operator(crate::hir::Operator::Definition(it))) => {
                    let kind = self.spec.definition(it.definition).kind;
                    if !hide && kind == DefinitionKind::Subexpression {
                        return;
                    }
                    kind != DefinitionKind::Operator && kind != DefinitionKind::Function
                }
                _ => false,
            };
            if hide && !is_fact && found {
                self.not_a_fact(expr.span);
                return;
            }
            if is_fact || !found {
                return;
            }
        } else if hide {
            self.not_a_fact(expr.span);
            return;
        }
        let fact = self.in_definition(None, |it| it.statement(fact));
        self.checks.push(Check::Expr(fact));
    }

    fn not_a_fact(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                "E4357",
                span,
                "only a theorem, an assumption or a step can be hidden as a fact",
            )
            .label("this is none of them")
            .help("to hide a definition write `HIDE DEF` before its name"),
        );
    }

    /// A name after DEF.
    fn used_definition(&mut self, definition: ast::ExprId) {
        let ast = self.tree();
        let expr = ast.expr(definition);
        let ast::ExprKind::Name(steps) = &expr.kind else {
            self.value(definition);
            return;
        };
        if let [step] = steps.as_slice()
            && let Selector::Name(name) = &step.selector
        {
            if self.scope.get(name).is_none() {
                self.unknown(name, step.span);
            }
            return;
        }
        self.path(steps, expr.span);
    }
}
