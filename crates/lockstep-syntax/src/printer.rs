//! The printer: a tree to TLA+ text that parses to the same tree.
//!
//! Layout carries meaning in TLA+, so the printer keeps one rule above looks: no token of a
//! subexpression stands left of the column where the subexpression begins. A junction list puts
//! its bullets in the column where it begins; an operator that follows an operand ending in a list
//! goes to a new line left of that list's bullets.

use crate::ast::{
    Assumption, Ast, Binder, ExceptStep, ExprId, ExprKind, Ident, Instance, JunctionKind, Module,
    NewLevel, OperatorDecl, PathStep, Pattern, Proof, ProofKind, ProofStep, Quantifier, Selector,
    StepKind, Unit, UnitKind, UseOrHide,
};
use crate::operators::{Fix, NEGATE, OperatorId};

/// Lists, records and definitions that would pass this column are broken into lines.
const WIDTH: usize = 90;

/// Prints all modules of a tree.
pub fn print(ast: &Ast) -> String {
    let mut printer = Printer { ast, out: String::new(), col: 0 };
    for (idx, module) in ast.modules.iter().enumerate() {
        if idx > 0 {
            printer.text("\n");
        }
        printer.module(module, 0);
    }
    printer.out
}

/// Prints one expression.
pub fn print_expr(ast: &Ast, id: ExprId) -> String {
    let mut printer = Printer { ast, out: String::new(), col: 0 };
    printer.expr(id);
    printer.out
}

struct Printer<'a> {
    ast: &'a Ast,
    out: String,
    /// The column of the next character, from 0.
    col: usize,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        if text.starts_with('*') && self.out.ends_with('(') {
            // `(*` would begin a comment.
            self.out.push(' ');
            self.col += 1;
        }
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.col = text[at + 1..].chars().count(),
            None => self.col += text.chars().count(),
        }
    }

    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', indent));
        self.col = indent;
    }

    fn space_or_line(&mut self, space: bool, indent: usize) {
        if space {
            self.text(" ");
        } else {
            self.line(indent);
        }
    }

    /// Moves right to a column.
    fn pad_to(&mut self, col: usize) {
        while self.col < col {
            self.text(" ");
        }
    }

    fn list<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (idx, item) in items.iter().enumerate() {
            if idx > 0 {
                self.text(", ");
            }
            print(self, item);
        }
    }

    /// A list that goes on in a new line, in the column where it began, when a line is full.
    fn wrapped<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        let indent = self.col;
        for (idx, item) in items.iter().enumerate() {
            if idx > 0 {
                self.text(",");
                let is_full = self.col > WIDTH;
                self.space_or_line(!is_full, indent);
            }
            print(self, item);
        }
    }

    fn idents(&mut self, idents: &[Ident]) {
        self.wrapped(idents, |printer, ident| printer.text(&ident.name));
    }

    // ---- Modules. ----

    fn module(&mut self, module: &Module, indent: usize) {
        let header = format!(" MODULE {} ", module.name.name);
        let dashes = (78_usize.saturating_sub(indent + header.len()) / 2).max(4);
        self.text(&"-".repeat(dashes));
        self.text(&header);
        self.text(&"-".repeat(dashes));
        if !module.extends.is_empty() {
            self.line(indent);
            self.text("EXTENDS ");
            self.idents(&module.extends);
        }
        let mut after_definition = false;
        for unit in &module.units {
            let is_definition = matches!(
                unit.kind,
                UnitKind::Operator(_) | UnitKind::Function(_) | UnitKind::Theorem { .. }
            );
            if is_definition && after_definition {
                self.out.push('\n');
            }
            after_definition = is_definition;
            self.line(indent);
            self.unit(unit);
        }
        self.line(indent);
        self.text(&"=".repeat(78_usize.saturating_sub(indent).max(4)));
        if indent == 0 {
            self.text("\n");
        }
    }

    fn unit(&mut self, unit: &Unit) {
        let indent = self.col;
        if unit.local {
            self.text("LOCAL ");
        }
        match &unit.kind {
            UnitKind::Constants(decls) => {
                self.text(if decls.len() == 1 { "CONSTANT " } else { "CONSTANTS " });
                self.wrapped(decls, Self::declaration);
            }
            UnitKind::Variables(names) => {
                self.text(if names.len() == 1 { "VARIABLE " } else { "VARIABLES " });
                self.idents(names);
            }
            UnitKind::Recursive(decls) => {
                self.text("RECURSIVE ");
                self.wrapped(decls, Self::declaration);
            }
            UnitKind::Operator(it) => {
                self.definition_head(&it.name, &it.params);
                self.body(it.body, indent);
            }
            UnitKind::Function(it) => {
                self.text(&it.name.name);
                self.text("[");
                self.list(&it.binders, Self::binder);
                self.text("] == ");
                self.body(it.body, indent);
            }
            UnitKind::ModuleDefinition { name, params, instance } => {
                self.definition_head(name, params);
                self.instance(instance);
            }
            UnitKind::Instance(instance) => self.instance(instance),
            UnitKind::Assume { checked, name, body } => {
                self.text(if *checked { "ASSUME " } else { "AXIOM " });
                self.fact_name(name);
                self.body(*body, indent);
            }
            UnitKind::Theorem { name, body, proof } => {
                self.text("THEOREM ");
                self.fact_name(name);
                self.body(*body, indent);
                if let Some(proof) = proof {
                    self.proof(proof, indent);
                }
            }
            UnitKind::UseOrHide(it) => {
                self.text(if it.hide { "HIDE" } else { "USE" });
                self.use_body(it);
            }
            UnitKind::Module(module) => self.module(module, indent),
            UnitKind::Separator => {
                self.text(&"-".repeat(78_usize.saturating_sub(indent).max(4)));
            }
            UnitKind::Error => self.text("\\* (a unit with errors)"),
        }
    }

    fn fact_name(&mut self, name: &Option<Ident>) {
        if let Some(name) = name {
            self.text(&name.name);
            self.text(" == ");
        }
    }

    /// A definition's body: beside its head, or under it when it begins with a list of lines.
    fn body(&mut self, body: ExprId, indent: usize) {
        let multiline = matches!(
            self.ast.expr(body).kind,
            ExprKind::Junction { .. } | ExprKind::Let { .. } | ExprKind::Case { .. }
        );
        if (multiline && self.col > indent + 16) || self.col > WIDTH / 2 {
            self.line(indent + 2);
        }
        self.expr(body);
    }

    fn definition_head(&mut self, name: &Ident, params: &[OperatorDecl]) {
        let fix = OperatorId::by_name(&name.name).map(|op| op.get().fix);
        match (fix, params) {
            (Some(Fix::Prefix), [param]) => {
                self.text(&name.name);
                self.text(" ");
                self.text(&param.name.name);
            }
            (Some(Fix::Postfix), [param]) => {
                self.text(&param.name.name);
                self.text(&name.name);
            }
            (Some(_), [left, right]) => {
                self.text(&left.name.name);
                self.text(" ");
                self.text(&name.name);
                self.text(" ");
                self.text(&right.name.name);
            }
            _ => {
                self.text(&name.name);
                if !params.is_empty() {
                    self.text("(");
                    self.list(params, Self::declaration);
                    self.text(")");
                }
            }
        }
        self.text(" == ");
    }

    fn declaration(&mut self, decl: &OperatorDecl) {
        let name = &decl.name.name;
        match OperatorId::by_name(name).map(|op| op.get().fix) {
            Some(Fix::Prefix) => self.text(&format!("{name} _")),
            Some(Fix::Postfix) => self.text(&format!("_ {name}")),
            Some(Fix::Infix | Fix::Nfix) => self.text(&format!("_ {name} _")),
            None => {
                self.text(name);
                if decl.arity > 0 {
                    let blanks = vec!["_"; decl.arity as usize];
                    self.text(&format!("({})", blanks.join(", ")));
                }
            }
        }
    }

    fn instance(&mut self, instance: &Instance) {
        self.text("INSTANCE ");
        self.text(&instance.module.name);
        if instance.substitutions.is_empty() {
            return;
        }
        self.text(" WITH ");
        self.wrapped(&instance.substitutions, |printer, (target, value)| {
            printer.text(&target.name);
            printer.text(" <- ");
            printer.expr(*value);
        });
    }

    // ---- Proofs. ----

    fn proof(&mut self, proof: &Proof, indent: usize) {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || match &proof.kind {
            ProofKind::Obvious => {
                self.line(indent + 2);
                self.text("OBVIOUS");
            }
            ProofKind::Omitted => {
                self.line(indent + 2);
                self.text("OMITTED");
            }
            ProofKind::By(it) => {
                self.line(indent + 2);
                self.text("BY");
                self.use_body(it);
            }
            ProofKind::Steps(steps) => {
                for (idx, step) in steps.iter().enumerate() {
                    self.step(step, idx == 0, indent + 2);
                }
            }
        });
    }

    fn step(&mut self, step: &ProofStep, is_first: bool, indent: usize) {
        // Deep proofs stay in sight; a step's column means nothing.
        let indent = indent.min(60);
        self.line(indent);
        let level = match (step.implicit_level, is_first) {
            (false, _) => step.level.to_string(),
            (true, true) => "+".to_owned(),
            (true, false) => "*".to_owned(),
        };
        match &step.name {
            // A name holds its level, `<1>a`.
            Some(name) => {
                let (_, after) = name.name.split_once('>').unwrap_or(("", &name.name));
                self.text(&format!("<{level}>{after}. "));
            }
            None => self.text(&format!("<{level}> ")),
        }
        match &step.kind {
            StepKind::Assert { suffices, body } => {
                if *suffices {
                    self.text("SUFFICES ");
                }
                self.expr(*body);
            }
            StepKind::Case(body) => {
                self.text("CASE ");
                self.expr(*body);
            }
            StepKind::Have(body) => {
                self.text("HAVE ");
                self.expr(*body);
            }
            StepKind::Take { binders, names } => {
                self.text("TAKE ");
                self.bound(binders, names);
            }
            StepKind::Witness(items) => {
                self.text("WITNESS ");
                self.exprs(items);
            }
            StepKind::Pick { binders, names, body } => {
                self.text("PICK ");
                self.bound(binders, names);
                self.text(" : ");
                self.expr(*body);
            }
            StepKind::Define(units) => {
                self.text("DEFINE ");
                self.units(units);
            }
            StepKind::Instance(instance) => self.instance(instance),
            StepKind::UseOrHide(it) => {
                self.text(if it.hide { "HIDE" } else { "USE" });
                self.use_body(it);
            }
            StepKind::Qed => self.text("QED"),
        }
        if let Some(proof) = &step.proof {
            self.proof(proof, indent);
        }
    }

    fn use_body(&mut self, it: &UseOrHide) {
        if it.only {
            self.text(" ONLY");
        }
        let mut separator = " ";
        for fact in &it.facts {
            self.text(separator);
            self.expr(*fact);
            separator = ", ";
        }
        for module in &it.fact_modules {
            self.text(&format!("{separator}MODULE {}", module.name));
            separator = ", ";
        }
        if it.definitions.is_empty() && it.definition_modules.is_empty() {
            return;
        }
        self.text(" DEF");
        separator = " ";
        for definition in &it.definitions {
            self.text(separator);
            self.expr(*definition);
            separator = ", ";
        }
        for module in &it.definition_modules {
            self.text(&format!("{separator}MODULE {}", module.name));
            separator = ", ";
        }
    }

    /// Definitions under each other.
    fn units(&mut self, units: &[Unit]) {
        let indent = self.col;
        for (idx, unit) in units.iter().enumerate() {
            if idx > 0 {
                self.line(indent);
            }
            self.unit(unit);
        }
    }

    // ---- Expressions. ----

    fn exprs(&mut self, items: &[ExprId]) {
        self.wrapped(items, |printer, item| printer.expr(*item));
    }

    fn bound(&mut self, binders: &[Binder], names: &[Ident]) {
        if binders.is_empty() {
            self.idents(names);
        } else {
            self.wrapped(binders, Self::binder);
        }
    }

    fn binder(&mut self, binder: &Binder) {
        self.pattern(&binder.pattern);
        self.text(" \\in ");
        self.expr(binder.set);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Names(names) => self.list(names, |printer, name| printer.text(&name.name)),
            Pattern::Tuple(names) => {
                self.text("<<");
                self.list(names, |printer, name| printer.text(&name.name));
                self.text(">>");
            }
        }
    }

    fn expr(&mut self, id: ExprId) {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        let ast = self.ast;
        match &ast.expr(id).kind {
            ExprKind::Error => self.text("(* error *)"),
            ExprKind::Number(text) | ExprKind::Decimal(text) => self.text(text),
            ExprKind::String(text) => self.string(text),
            ExprKind::At => self.text("@"),
            ExprKind::Name(steps) => self.path(steps),
            ExprKind::Prefix { op, arg } => self.prefix(op, *arg),
            ExprKind::Infix { .. } => self.infix(id),
            ExprKind::Postfix { op, arg } => {
                self.before_suffix(*arg);
                self.text(&op.name);
            }
            ExprKind::Product(factors) => {
                let indent = self.col;
                for (idx, factor) in factors.iter().enumerate() {
                    let last = idx + 1 == factors.len();
                    if !last && self.ends_in_list(*factor) {
                        // Bullets must be right of the operator that follows.
                        self.pad_to(self.col.max(indent + 4));
                        self.expr(*factor);
                        self.line(indent);
                        self.text("\\X ");
                        continue;
                    }
                    self.expr(*factor);
                    if !last {
                        self.text(" \\X ");
                    }
                }
            }
            ExprKind::Junction { kind, items } => {
                let indent = self.col;
                for (idx, item) in items.iter().enumerate() {
                    if idx > 0 {
                        self.line(indent);
                    }
                    self.text(match kind {
                        JunctionKind::And => "/\\ ",
                        JunctionKind::Or => "\\/ ",
                    });
                    self.expr(*item);
                }
            }
            ExprKind::Parens(inner) => {
                self.text("(");
                self.expr(*inner);
                self.text(")");
            }
            ExprKind::Apply { function, args } => {
                self.before_suffix(*function);
                self.text("[");
                self.exprs(args);
                self.text("]");
            }
            ExprKind::Field { record, field } => {
                self.before_suffix(*record);
                self.text(".");
                self.text(&field.name);
            }
            ExprKind::Tuple(items) => {
                self.text("<<");
                self.exprs(items);
                self.text(">>");
            }
            ExprKind::SetEnum(items) => {
                self.text("{");
                self.exprs(items);
                self.text("}");
            }
            ExprKind::SetFilter { binder, body } => {
                self.text("{");
                self.binder(binder);
                self.text(" : ");
                self.expr(*body);
                self.text("}");
            }
            ExprKind::SetMap { body, binders } => {
                self.text("{");
                self.expr(*body);
                self.text(" : ");
                self.wrapped(binders, Self::binder);
                self.text("}");
            }
            ExprKind::Function { binders, body } => {
                self.text("[");
                self.wrapped(binders, Self::binder);
                self.text(" |-> ");
                self.expr(*body);
                self.text("]");
            }
            ExprKind::FunctionSet { domain, range } => {
                self.text("[");
                self.expr(*domain);
                self.text(" -> ");
                self.expr(*range);
                self.text("]");
            }
            ExprKind::Record(fields) => self.fields(fields, " |-> "),
            ExprKind::RecordSet(fields) => self.fields(fields, " : "),
            ExprKind::Except { base, updates } => {
                self.text("[");
                self.expr(*base);
                self.text(" EXCEPT ");
                self.wrapped(updates, |printer, update| {
                    printer.text("!");
                    for step in &update.path {
                        match step {
                            ExceptStep::Index(args) => {
                                printer.text("[");
                                printer.exprs(args);
                                printer.text("]");
                            }
                            ExceptStep::Field(field) => {
                                printer.text(".");
                                printer.text(&field.name);
                            }
                        }
                    }
                    printer.text(" = ");
                    printer.expr(update.value);
                });
                self.text("]");
            }
            ExprKind::Quantified { quantifier, binders, body } => {
                let indent = self.col;
                self.quantifier(*quantifier);
                self.wrapped(binders, Self::binder);
                self.text(" : ");
                self.broken_body(*body, indent);
            }
            ExprKind::Unbounded { quantifier, names, body } => {
                let indent = self.col;
                self.quantifier(*quantifier);
                self.idents(names);
                self.text(" : ");
                self.broken_body(*body, indent);
            }
            ExprKind::Choose { pattern, set, body } => {
                let indent = self.col;
                self.text("CHOOSE ");
                self.pattern(pattern);
                if let Some(set) = set {
                    self.text(" \\in ");
                    self.expr(*set);
                }
                self.text(" : ");
                self.broken_body(*body, indent);
            }
            ExprKind::If { condition, then, otherwise } => {
                let indent = self.col;
                let simple = [condition, then, otherwise].iter().all(|it| self.is_short(**it));
                self.text("IF ");
                self.expr(*condition);
                self.space_or_line(simple, indent);
                self.text("THEN ");
                self.expr(*then);
                self.space_or_line(simple, indent);
                self.text("ELSE ");
                self.expr(*otherwise);
            }
            ExprKind::Case { arms, other } => {
                let indent = self.col;
                self.text("CASE ");
                let mut first = true;
                for arm in arms {
                    if !std::mem::take(&mut first) {
                        self.line(indent + 2);
                        self.text("[] ");
                    }
                    self.expr(arm.guard);
                    self.text(" -> ");
                    self.expr(arm.value);
                }
                if let Some(other) = other {
                    if !first {
                        self.line(indent + 2);
                        self.text("[] ");
                    }
                    self.text("OTHER -> ");
                    self.expr(*other);
                }
            }
            ExprKind::Let { units, body } => {
                let indent = self.col;
                self.text("LET ");
                self.units(units);
                self.line(indent);
                self.text("IN  ");
                self.expr(*body);
            }
            ExprKind::Lambda { params, body } => {
                self.text("LAMBDA ");
                self.idents(params);
                self.text(" : ");
                self.expr(*body);
            }
            ExprKind::BoxAction { action, subscript } => {
                self.text("[");
                self.expr(*action);
                self.text("]_");
                self.expr(*subscript);
            }
            ExprKind::AngleAction { action, subscript } => {
                self.text("<<");
                self.expr(*action);
                self.text(">>_");
                self.expr(*subscript);
            }
            ExprKind::Fairness { strong, subscript, action } => {
                self.text(if *strong { "SF_" } else { "WF_" });
                self.expr(*subscript);
                self.text("(");
                self.expr(*action);
                self.text(")");
            }
            ExprKind::Label { name, params, body } => {
                self.text(&name.name);
                if !params.is_empty() {
                    self.text("(");
                    self.list(params, |printer, param| printer.text(&param.name));
                    self.text(")");
                }
                self.text(" :: ");
                self.expr(*body);
            }
            ExprKind::AssumeProve(it) => {
                let indent = self.col;
                let boxed = if it.boxed { "[]" } else { "" };
                self.text(&format!("{boxed}ASSUME "));
                let inner = self.col;
                for (idx, assumption) in it.assumptions.iter().enumerate() {
                    if idx > 0 {
                        self.text(",");
                        self.line(inner);
                    }
                    self.assumption(assumption);
                }
                self.line(indent);
                self.text(&format!("{boxed}PROVE  "));
                self.expr(it.goal);
            }
        }
    }

    fn assumption(&mut self, assumption: &Assumption) {
        match assumption {
            Assumption::Fact(fact) => self.expr(*fact),
            Assumption::New { level, decl, set } => {
                self.text(match level {
                    NewLevel::Constant => "NEW ",
                    NewLevel::Variable => "NEW VARIABLE ",
                    NewLevel::State => "NEW STATE ",
                    NewLevel::Action => "NEW ACTION ",
                    NewLevel::Temporal => "NEW TEMPORAL ",
                });
                self.declaration(decl);
                if let Some(set) = set {
                    self.text(" \\in ");
                    self.expr(*set);
                }
            }
        }
    }

    fn quantifier(&mut self, quantifier: Quantifier) {
        self.text(match quantifier {
            Quantifier::ForAll => "\\A ",
            Quantifier::Exists => "\\E ",
            Quantifier::TemporalForAll => "\\AA ",
            Quantifier::TemporalExists => "\\EE ",
        });
    }

    /// The body of a quantifier that began in column `indent`: under it if it is long.
    fn broken_body(&mut self, body: ExprId, indent: usize) {
        let has_lines = matches!(
            self.ast.expr(body).kind,
            ExprKind::Junction { .. } | ExprKind::Let { .. } | ExprKind::Case { .. }
        );
        if has_lines && self.col > indent + 12 || self.col > WIDTH {
            self.line(indent + 2);
        }
        self.expr(body);
    }

    fn fields(&mut self, fields: &[(Ident, ExprId)], separator: &str) {
        self.text("[");
        self.wrapped(fields, |printer, (field, value)| {
            printer.text(&field.name);
            printer.text(separator);
            printer.expr(*value);
        });
        self.text("]");
    }

    fn string(&mut self, text: &str) {
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push('"');
        for ch in text.chars() {
            match ch {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                '\t' => quoted.push_str("\\t"),
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\u{c}' => quoted.push_str("\\f"),
                ch => quoted.push(ch),
            }
        }
        quoted.push('"');
        self.text(&quoted);
    }

    fn path(&mut self, steps: &[PathStep]) {
        for (idx, step) in steps.iter().enumerate() {
            if idx > 0 {
                // A symbol must not run into the `!` after it, nor `!` into `!!`.
                let after_symbol =
                    self.out.ends_with(|ch: char| !ch.is_alphanumeric() && !"_)>:@".contains(ch));
                self.text(if after_symbol { " !" } else { "!" });
            }
            match &step.selector {
                Selector::Name(name) => {
                    if idx > 0 && !name.starts_with(|ch: char| ch.is_alphanumeric() || ch == '_') {
                        self.text(" ");
                    }
                    self.text(name);
                }
                Selector::Number(number) => self.text(&number.to_string()),
                Selector::First => self.text("<<"),
                Selector::Last => self.text(">>"),
                Selector::Body => self.text("@"),
                Selector::Colon => self.text(":"),
                Selector::Arguments => {}
            }
            if !step.args.is_empty() {
                // `(*` would begin a comment and `(+)` is one symbol.
                let symbol = step.args.iter().any(|arg| self.is_bare_symbol(*arg));
                self.text(if symbol { "( " } else { "(" });
                self.exprs(&step.args);
                self.text(if symbol { " )" } else { ")" });
            }
        }
    }

    fn is_bare_symbol(&self, id: ExprId) -> bool {
        match &self.ast.expr(id).kind {
            ExprKind::Name(steps) => match &steps[0].selector {
                Selector::Name(name) => OperatorId::by_name(name).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    fn prefix(&mut self, op: &Ident, arg: ExprId) {
        let spelling = OperatorId::by_name(&op.name).map_or("", |op| op.get().spelling());
        self.text(spelling);
        let is_word = spelling.ends_with(|ch: char| ch.is_alphabetic());
        // A symbol must not run into the next one: `- -x`, `~ >(a, b)`.
        let may_touch = match &self.ast.expr(arg).kind {
            ExprKind::Name(steps) => match &steps[0].selector {
                Selector::Name(name) => OperatorId::by_name(name).is_none(),
                _ => false,
            },
            ExprKind::Prefix { op, .. } => op.name != NEGATE.get().name,
            ExprKind::Number(_)
            | ExprKind::Parens(_)
            | ExprKind::BoxAction { .. }
            | ExprKind::AngleAction { .. }
            | ExprKind::Fairness { .. } => true,
            _ => false,
        };
        if is_word || !may_touch {
            self.text(" ");
        }
        self.expr(arg);
    }

    /// A chain of infix operators, printed without recursion on its left side.
    fn infix(&mut self, id: ExprId) {
        let ast = self.ast;
        let mut rest = Vec::new();
        let mut left = id;
        while let ExprKind::Infix { op, left: inner, right } = &ast.expr(left).kind {
            rest.push((op, *inner, *right));
            left = *inner;
        }
        let indent = self.col;
        let needs_margin = rest.iter().any(|(_, before, _)| self.ends_in_list(*before));
        if needs_margin {
            // Bullets must be right of the operator that ends their list.
            self.text("    ");
        }
        self.expr(left);
        for (op, before, right) in rest.into_iter().rev() {
            let spelling = OperatorId::by_name(&op.name).map_or("", |op| op.get().spelling());
            if self.ends_in_list(before) || (self.col > WIDTH && self.col > indent + 8) {
                self.line(indent);
            } else {
                self.text(" ");
            }
            self.text(spelling);
            self.text(" ");
            self.expr(right);
        }
    }

    /// Prints what a suffix such as `[i]`, `.a` or `'` is applied to, the suffix itself to follow.
    fn before_suffix(&mut self, operand: ExprId) {
        if !self.ends_in_list(operand) {
            self.expr(operand);
            // `1.5` is a number, and `<1>a.` is the whole name of a step.
            let takes_dots = match &self.ast.expr(operand).kind {
                ExprKind::Number(_) => true,
                ExprKind::Name(steps) => match steps.as_slice() {
                    [PathStep { selector: Selector::Name(name), .. }] => name.starts_with('<'),
                    steps => {
                        matches!(steps.last(), Some(PathStep { selector: Selector::Number(_), .. }))
                    }
                },
                _ => false,
            };
            if takes_dots {
                self.text(" ");
            }
            return;
        }
        let indent = self.col;
        self.text("  ");
        self.expr(operand);
        self.line(indent);
    }

    /// Whether the last token of an expression stands in an item of a junction list.
    fn ends_in_list(&self, mut id: ExprId) -> bool {
        loop {
            match &self.ast.expr(id).kind {
                ExprKind::Junction { .. } => return true,
                ExprKind::Infix { right, .. } => id = *right,
                ExprKind::Prefix { arg, .. } => id = *arg,
                ExprKind::Product(factors) => match factors.last() {
                    Some(last) => id = *last,
                    None => return false,
                },
                ExprKind::Quantified { body, .. }
                | ExprKind::Unbounded { body, .. }
                | ExprKind::Choose { body, .. }
                | ExprKind::Let { body, .. }
                | ExprKind::Lambda { body, .. }
                | ExprKind::Label { body, .. } => id = *body,
                ExprKind::If { otherwise, .. } => id = *otherwise,
                ExprKind::Case { arms, other } => match (other, arms.last()) {
                    (Some(other), _) => id = *other,
                    (None, Some(arm)) => id = arm.value,
                    (None, None) => return false,
                },
                _ => return false,
            }
        }
    }

    /// Whether an expression is a few tokens on one line.
    fn is_short(&self, id: ExprId) -> bool {
        match &self.ast.expr(id).kind {
            ExprKind::Number(_) | ExprKind::Decimal(_) | ExprKind::String(_) | ExprKind::At => true,
            ExprKind::Name(steps) => {
                steps.iter().all(|step| step.args.len() <= 2)
                    && steps.iter().flat_map(|step| &step.args).all(|arg| {
                        matches!(self.ast.expr(*arg).kind, ExprKind::Name(_) | ExprKind::Number(_))
                    })
            }
            ExprKind::Infix { left, right, .. } => {
                [left, right].iter().all(|side| match &self.ast.expr(**side).kind {
                    ExprKind::Infix { .. } | ExprKind::Junction { .. } => false,
                    _ => self.is_short(**side),
                })
            }
            ExprKind::Postfix { arg, .. } | ExprKind::Prefix { arg, .. } => {
                matches!(self.ast.expr(*arg).kind, ExprKind::Name(_))
            }
            ExprKind::Tuple(items) | ExprKind::SetEnum(items) => {
                items.len() <= 3
                    && items.iter().all(|item| {
                        matches!(self.ast.expr(*item).kind, ExprKind::Name(_) | ExprKind::Number(_))
                    })
            }
            _ => false,
        }
    }
}
