//! `Ast::debug_tree`: the tree as text without places, to compare trees and to show them in tests.
//!
//! One S-expression a node, `(kind child …)`. It holds everything of the tree but spans and the
//! arena's ids, so two trees print the same exactly if they mean the same.

use crate::ast::{
    Assumption, Ast, Binder, ExceptStep, Expr, ExprId, ExprKind, Ident, Instance, JunctionKind,
    Module, NewLevel, OperatorDecl, PathStep, Pattern, Proof, ProofKind, ProofStep, Quantifier,
    Selector, StepKind, Unit, UnitKind, UseOrHide,
};

/// Lines are broken to stay within this width where the depth allows it.
const WIDTH: usize = 100;

/// Deeper nodes are not indented further, so that the text stays linear in the tree.
const MAX_INDENT: usize = 60;

impl Ast {
    /// All modules as text without places.
    pub fn debug_tree(&self) -> String {
        let mut out = String::new();
        for module in &self.modules {
            Node::list("module", self.module_parts(module)).write(&mut out, 0);
            out.push('\n');
        }
        out
    }

    /// One expression as text without places.
    pub fn debug_expr(&self, id: ExprId) -> String {
        let mut out = String::new();
        self.node(id).write(&mut out, 0);
        out
    }

    fn module_parts(&self, module: &Module) -> Vec<Node> {
        let mut parts = vec![name(&module.name)];
        if !module.extends.is_empty() {
            parts.push(Node::list("extends", names(&module.extends)));
        }
        parts.extend(module.units.iter().map(|unit| self.unit(unit)));
        parts
    }

    fn unit(&self, unit: &Unit) -> Node {
        let node = match &unit.kind {
            UnitKind::Constants(decls) => Node::list("constants", declarations(decls)),
            UnitKind::Variables(vars) => Node::list("variables", names(vars)),
            UnitKind::Recursive(decls) => Node::list("recursive", declarations(decls)),
            UnitKind::Operator(it) => Node::list(
                "operator",
                [
                    name(&it.name),
                    Node::list("params", declarations(&it.params)),
                    self.node(it.body),
                ],
            ),
            UnitKind::Function(it) => {
                let mut parts = vec![name(&it.name)];
                parts.extend(self.binders(&it.binders));
                parts.push(self.node(it.body));
                Node::list("function-definition", parts)
            }
            UnitKind::ModuleDefinition { name: it, params, instance } => Node::list(
                "module-definition",
                [name(it), Node::list("params", declarations(params)), self.instance(instance)],
            ),
            UnitKind::Instance(it) => self.instance(it),
            UnitKind::Assume { checked, name, body } => {
                let kind = if *checked { "assume" } else { "axiom" };
                Node::list(kind, optional_name(name).into_iter().chain([self.node(*body)]))
            }
            UnitKind::Theorem { name, body, proof } => {
                let proof = proof.as_ref().map(|proof| self.proof(proof));
                let parts = optional_name(name).into_iter().chain([self.node(*body)]).chain(proof);
                Node::list("theorem", parts)
            }
            UnitKind::UseOrHide(it) => self.use_or_hide(if it.hide { "hide" } else { "use" }, it),
            UnitKind::Module(module) => Node::list("module", self.module_parts(module)),
            UnitKind::Separator => Node::list("separator", []),
            UnitKind::Error => Node::list("error", []),
        };
        if unit.local { Node::list("local", [node]) } else { node }
    }

    fn instance(&self, instance: &Instance) -> Node {
        let substitutions = instance
            .substitutions
            .iter()
            .map(|(target, value)| Node::list("with", [name(target), self.node(*value)]));
        Node::list("instance", [name(&instance.module)].into_iter().chain(substitutions))
    }

    fn proof(&self, proof: &Proof) -> Node {
        match &proof.kind {
            ProofKind::Obvious => Node::list("obvious", []),
            ProofKind::Omitted => Node::list("omitted", []),
            ProofKind::By(it) => self.use_or_hide("by", it),
            ProofKind::Steps(steps) => stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
                Node::list("proof", steps.iter().map(|step| self.step(step)))
            }),
        }
    }

    fn use_or_hide(&self, kind: &'static str, it: &UseOrHide) -> Node {
        let mut parts = Vec::new();
        if it.only {
            parts.push(Node::atom("only"));
        }
        parts.extend(it.facts.iter().map(|fact| self.node(*fact)));
        parts.extend(it.fact_modules.iter().map(|module| Node::list("module", [name(module)])));
        if !it.definitions.is_empty() || !it.definition_modules.is_empty() {
            let definitions = it.definitions.iter().map(|it| self.node(*it));
            let modules =
                it.definition_modules.iter().map(|module| Node::list("module", [name(module)]));
            parts.push(Node::list("def", definitions.chain(modules)));
        }
        Node::list(kind, parts)
    }

    fn step(&self, step: &ProofStep) -> Node {
        let mut parts = vec![Node::text(format!(
            "<{}{}>",
            step.level,
            if step.implicit_level { " implicit" } else { "" }
        ))];
        parts.extend(optional_name(&step.name));
        parts.push(match &step.kind {
            StepKind::Assert { suffices, body } => {
                let kind = if *suffices { "suffices" } else { "assert" };
                Node::list(kind, [self.node(*body)])
            }
            StepKind::Case(body) => Node::list("case-step", [self.node(*body)]),
            StepKind::Have(body) => Node::list("have", [self.node(*body)]),
            StepKind::Take { binders, names: bound } => {
                Node::list("take", self.binders(binders).into_iter().chain(names(bound)))
            }
            StepKind::Witness(items) => Node::list("witness", self.nodes(items)),
            StepKind::Pick { binders, names: bound, body } => {
                let bound = self.binders(binders).into_iter().chain(names(bound));
                Node::list("pick", bound.chain([self.node(*body)]))
            }
            StepKind::Define(units) => {
                Node::list("define", units.iter().map(|unit| self.unit(unit)))
            }
            StepKind::Instance(it) => self.instance(it),
            StepKind::UseOrHide(it) => self.use_or_hide(if it.hide { "hide" } else { "use" }, it),
            StepKind::Qed => Node::list("qed", []),
        });
        parts.extend(step.proof.as_ref().map(|proof| self.proof(proof)));
        Node::list("step", parts)
    }

    fn nodes(&self, ids: &[ExprId]) -> Vec<Node> {
        ids.iter().map(|id| self.node(*id)).collect()
    }

    fn binders(&self, binders: &[Binder]) -> Vec<Node> {
        binders.iter().map(|binder| self.binder(binder)).collect()
    }

    fn binder(&self, binder: &Binder) -> Node {
        let parts = pattern(&binder.pattern).into_iter().chain([self.node(binder.set)]);
        Node::list("in", parts)
    }

    fn fields(&self, fields: &[(Ident, ExprId)]) -> Vec<Node> {
        fields
            .iter()
            .map(|(field, value)| Node::list("field", [name(field), self.node(*value)]))
            .collect()
    }

    fn node(&self, id: ExprId) -> Node {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.expr_node(self.expr(id)))
    }

    fn expr_node(&self, expr: &Expr) -> Node {
        match &expr.kind {
            ExprKind::Error => Node::list("error", []),
            ExprKind::Number(text) | ExprKind::Decimal(text) => Node::atom(text),
            ExprKind::String(text) => Node::text(format!("{text:?}")),
            ExprKind::At => Node::atom("@"),
            ExprKind::Name(steps) => match steps.as_slice() {
                [PathStep { selector: Selector::Name(name), args, .. }] if args.is_empty() => {
                    Node::atom(name)
                }
                steps => Node::list("name", steps.iter().map(|step| self.path_step(step))),
            },
            ExprKind::Prefix { op, arg } => Node::list("prefix", [name(op), self.node(*arg)]),
            ExprKind::Infix { op, left, right } => {
                Node::list("infix", [name(op), self.node(*left), self.node(*right)])
            }
            ExprKind::Postfix { op, arg } => Node::list("postfix", [name(op), self.node(*arg)]),
            ExprKind::Product(factors) => Node::list("product", self.nodes(factors)),
            ExprKind::Junction { kind, items } => Node::list(
                match kind {
                    JunctionKind::And => "and-list",
                    JunctionKind::Or => "or-list",
                },
                self.nodes(items),
            ),
            ExprKind::Parens(inner) => Node::list("parens", [self.node(*inner)]),
            ExprKind::Apply { function, args } => {
                Node::list("apply", [self.node(*function)].into_iter().chain(self.nodes(args)))
            }
            ExprKind::Field { record, field } => {
                Node::list("select", [self.node(*record), name(field)])
            }
            ExprKind::Tuple(items) => Node::list("tuple", self.nodes(items)),
            ExprKind::SetEnum(items) => Node::list("set", self.nodes(items)),
            ExprKind::SetFilter { binder, body } => {
                Node::list("filter", [self.binder(binder), self.node(*body)])
            }
            ExprKind::SetMap { body, binders } => {
                Node::list("map", [self.node(*body)].into_iter().chain(self.binders(binders)))
            }
            ExprKind::Function { binders, body } => {
                Node::list("function", self.binders(binders).into_iter().chain([self.node(*body)]))
            }
            ExprKind::FunctionSet { domain, range } => {
                Node::list("function-set", [self.node(*domain), self.node(*range)])
            }
            ExprKind::Record(fields) => Node::list("record", self.fields(fields)),
            ExprKind::RecordSet(fields) => Node::list("record-set", self.fields(fields)),
            ExprKind::Except { base, updates } => {
                let updates = updates.iter().map(|update| {
                    let path = update.path.iter().map(|step| match step {
                        ExceptStep::Index(args) => Node::list("index", self.nodes(args)),
                        ExceptStep::Field(field) => Node::list("field", [name(field)]),
                    });
                    Node::list("update", path.chain([self.node(update.value)]))
                });
                Node::list("except", [self.node(*base)].into_iter().chain(updates))
            }
            ExprKind::Quantified { quantifier, binders, body } => Node::list(
                quantifier_name(*quantifier),
                self.binders(binders).into_iter().chain([self.node(*body)]),
            ),
            ExprKind::Unbounded { quantifier, names: bound, body } => Node::list(
                quantifier_name(*quantifier),
                [Node::list("names", names(bound)), self.node(*body)],
            ),
            ExprKind::Choose { pattern: bound, set, body } => {
                let set = set.map(|set| Node::list("from", [self.node(set)]));
                let parts = pattern(bound).into_iter().chain(set).chain([self.node(*body)]);
                Node::list("choose", parts)
            }
            ExprKind::If { condition, then, otherwise } => {
                Node::list("if", self.nodes(&[*condition, *then, *otherwise]))
            }
            ExprKind::Case { arms, other } => {
                let arms = arms
                    .iter()
                    .map(|arm| Node::list("arm", [self.node(arm.guard), self.node(arm.value)]));
                let other = other.map(|other| Node::list("other", [self.node(other)]));
                Node::list("case", arms.chain(other))
            }
            ExprKind::Let { units, body } => {
                let units = units.iter().map(|unit| self.unit(unit));
                Node::list("let", units.chain([self.node(*body)]))
            }
            ExprKind::Lambda { params, body } => {
                Node::list("lambda", names(params).into_iter().chain([self.node(*body)]))
            }
            ExprKind::BoxAction { action, subscript } => {
                Node::list("box-action", [self.node(*action), self.node(*subscript)])
            }
            ExprKind::AngleAction { action, subscript } => {
                Node::list("angle-action", [self.node(*action), self.node(*subscript)])
            }
            ExprKind::Fairness { strong, subscript, action } => Node::list(
                if *strong { "strong-fairness" } else { "weak-fairness" },
                [self.node(*subscript), self.node(*action)],
            ),
            ExprKind::Label { name: label, params, body } => Node::list(
                "label",
                [name(label)].into_iter().chain(names(params)).chain([self.node(*body)]),
            ),
            ExprKind::AssumeProve(it) => {
                let facts = it.assumptions.iter().map(|fact| self.assumption(fact));
                let goal = Node::list("prove", [self.node(it.goal)]);
                let kind = if it.boxed { "boxed-assume" } else { "assume" };
                Node::list(kind, facts.chain([goal]))
            }
        }
    }

    fn path_step(&self, step: &PathStep) -> Node {
        let selector = match &step.selector {
            Selector::Name(name) => Node::atom(name),
            Selector::Number(number) => Node::text(format!("!{number}")),
            Selector::First => Node::atom("!<<"),
            Selector::Last => Node::atom("!>>"),
            Selector::Body => Node::atom("!@"),
            Selector::Colon => Node::atom("!:"),
            Selector::Arguments => Node::atom("!()"),
        };
        if step.args.is_empty() {
            return selector;
        }
        Node::list("call", [selector].into_iter().chain(self.nodes(&step.args)))
    }

    fn assumption(&self, assumption: &Assumption) -> Node {
        match assumption {
            Assumption::Fact(fact) => self.node(*fact),
            Assumption::New { level, decl, set } => {
                let level = match level {
                    NewLevel::Constant => "new-constant",
                    NewLevel::Variable => "new-variable",
                    NewLevel::State => "new-state",
                    NewLevel::Action => "new-action",
                    NewLevel::Temporal => "new-temporal",
                };
                Node::list(
                    level,
                    [declaration(decl)].into_iter().chain(set.map(|it| self.node(it))),
                )
            }
        }
    }
}

fn quantifier_name(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::ForAll => "forall",
        Quantifier::Exists => "exists",
        Quantifier::TemporalForAll => "temporal-forall",
        Quantifier::TemporalExists => "temporal-exists",
    }
}

fn name(ident: &Ident) -> Node {
    Node::atom(&ident.name)
}

fn names(idents: &[Ident]) -> Vec<Node> {
    idents.iter().map(name).collect()
}

fn optional_name(ident: &Option<Ident>) -> Option<Node> {
    ident.as_ref().map(|ident| Node::list("named", [name(ident)]))
}

fn pattern(pattern: &Pattern) -> Vec<Node> {
    match pattern {
        Pattern::Names(bound) => names(bound),
        Pattern::Tuple(bound) => vec![Node::list("tuple", names(bound))],
    }
}

fn declaration(decl: &OperatorDecl) -> Node {
    if decl.arity == 0 {
        name(&decl.name)
    } else {
        Node::text(format!("{}/{}", decl.name.name, decl.arity))
    }
}

fn declarations(decls: &[OperatorDecl]) -> Vec<Node> {
    decls.iter().map(declaration).collect()
}

/// Text with its width on one line, so that breaking lines needs no second measuring.
enum Node {
    Atom(String),
    List { kind: &'static str, parts: Vec<Node>, width: usize },
}

impl Node {
    fn atom(text: &str) -> Node {
        Node::Atom(text.to_owned())
    }

    fn text(text: String) -> Node {
        Node::Atom(text)
    }

    fn list(kind: &'static str, parts: impl IntoIterator<Item = Node>) -> Node {
        let parts: Vec<Node> = parts.into_iter().collect();
        let width = 2 + kind.len() + parts.iter().map(|part| part.width() + 1).sum::<usize>();
        Node::List { kind, parts, width }
    }

    fn width(&self) -> usize {
        match self {
            Node::Atom(text) => text.chars().count(),
            Node::List { width, .. } => *width,
        }
    }

    fn write(&self, out: &mut String, indent: usize) {
        match self {
            Node::Atom(text) => out.push_str(text),
            Node::List { kind, parts, width } => {
                out.push('(');
                out.push_str(kind);
                let broken = indent + width > WIDTH;
                let inner = (indent + 2).min(MAX_INDENT);
                for part in parts {
                    if broken {
                        out.push('\n');
                        out.extend(std::iter::repeat_n(' ', inner));
                    } else {
                        out.push(' ');
                    }
                    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || part.write(out, inner));
                }
                out.push(')');
            }
        }
    }
}

impl Drop for Node {
    /// Trees may be far deeper than the stack.
    fn drop(&mut self) {
        let Node::List { parts, .. } = self else { return };
        let mut open = std::mem::take(parts);
        while let Some(mut node) = open.pop() {
            if let Node::List { parts, .. } = &mut node {
                open.append(parts);
            }
        }
    }
}
