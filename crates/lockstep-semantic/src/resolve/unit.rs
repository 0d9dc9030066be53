//! Units of a module and definitions of a LET.

use std::rc::Rc;

use lockstep_syntax::Diagnostic;
use lockstep_syntax::ast::{self, Ident, OperatorDecl, Unit, UnitKind};

use super::{Context, Export, LabelContext, Pending, Resolver, empty_path};
use crate::check::Check;
use crate::hir::{
    Assumption, Decl, DeclId, DeclKind, DefinitionId, DefinitionKind, ExprId, ExprKind,
};
use crate::levels::Role;
use crate::scope::Symbol;

impl Resolver<'_> {
    /// One unit of a module.
    pub(super) fn unit(&mut self, unit: &Unit) {
        self.check_recursive_section(unit);
        match &unit.kind {
            UnitKind::Constants(decls) => {
                for decl in decls {
                    self.declaration(&decl.name, decl.arity, DeclKind::Constant);
                }
            }
            UnitKind::Variables(names) => {
                for name in names {
                    self.declaration(name, 0, DeclKind::Variable);
                }
            }
            UnitKind::Assume { checked, name, body } => {
                let definition = name.as_ref().map(|name| {
                    self.new_definition(name, unit.span, DefinitionKind::Fact, Vec::new())
                });
                let body = self.in_definition(definition, |it| it.statement(*body));
                let module = self.frame().module;
                if let (Some(id), Some(name)) = (definition, name) {
                    self.fact(id, name, body, unit.local);
                }
                self.checks.push(Check::Assume(body, unit.span));
                if *checked {
                    let name = name.as_ref().map(|it| it.name.clone());
                    self.frame().info.assumptions.push(Assumption { name, body, module });
                }
            }
            UnitKind::Theorem { name, body, proof } => {
                self.theorem(unit, name.as_ref(), *body, proof.as_ref());
            }
            UnitKind::UseOrHide(facts) => self.use_or_hide(facts),
            UnitKind::Module(module) => self.nested_module(module),
            UnitKind::Separator | UnitKind::Error => {}
            UnitKind::Recursive(_)
            | UnitKind::Operator(_)
            | UnitKind::Function(_)
            | UnitKind::ModuleDefinition { .. }
            | UnitKind::Instance(_) => {
                if let Some(id) = self.definition_unit(unit) {
                    let frame = self.frame();
                    frame.group.push(id);
                    if frame.pending[0].is_empty() {
                        let group = std::mem::take(&mut frame.group);
                        self.checks.push(Check::Definitions(group));
                    }
                }
            }
        }
    }

    /// A unit that may stand in a module, a LET or a DEFINE.
    pub(super) fn definition_unit(&mut self, unit: &Unit) -> Option<DefinitionId> {
        match &unit.kind {
            UnitKind::Recursive(decls) => {
                for decl in decls {
                    self.recursive(decl);
                }
                None
            }
            UnitKind::Operator(definition) => Some(self.operator(unit, definition)),
            UnitKind::Function(definition) => Some(self.function(unit, definition)),
            UnitKind::ModuleDefinition { name, params, instance } => {
                self.named_instance(unit, name, params, instance);
                None
            }
            UnitKind::Instance(instance) => {
                self.unnamed_instance(unit.local, instance);
                None
            }
            _ => None,
        }
    }

    /// Whether definitions go into the module's exports.
    pub(super) fn at_module_level(&mut self) -> bool {
        self.depth == 0
    }

    /// Puts a defined name in scope and, at module level, among the exports.
    pub(super) fn publish(&mut self, ident: &Ident, symbol: Symbol, local: bool) {
        self.scope.set(ident.name.clone(), symbol.clone(), ident.span);
        if self.at_module_level() {
            let export = Export { name: ident.name.clone(), symbol, span: ident.span, local };
            self.export(export);
        }
    }

    fn declaration(&mut self, name: &Ident, arity: u32, kind: DeclKind) {
        let module = self.frame().module;
        let id = DeclId(self.spec.decls.len() as u32);
        self.spec.decls.push(Decl {
            name: name.name.clone(),
            span: name.span,
            module,
            kind,
            arity,
        });
        if self.check_free(name, |_| false) {
            self.frame().info.decls.push(id);
            self.publish(name, Symbol::Decl(id), false);
        }
    }

    fn nested_module(&mut self, module: &ast::Module) {
        let name = &module.name;
        let frame = self.frame();
        let parent = frame.module;
        let visible = frame.visible.clone();
        let ast = Rc::clone(&frame.ast);
        let id = self.module(&ast, module, Some(parent), visible);
        let frame = self.frame();
        frame.visible.insert(name.name.clone(), id);
        frame.info.nested.push((name.name.clone(), id));
        self.nested.push((name.clone(), id));
    }

    /// One declared name of a RECURSIVE.
    fn recursive(&mut self, decl: &OperatorDecl) {
        if !self.check_free(&decl.name, |_| false) {
            return;
        }
        let signature = vec![0; decl.arity as usize];
        let id =
            self.new_definition(&decl.name, decl.name.span, DefinitionKind::Operator, signature);
        self.spec.definitions[id.index()].recursive = true;
        let symbol = Symbol::Definition { path: empty_path(), id };
        self.scope.set(decl.name.name.clone(), symbol, decl.name.span);
        let pending =
            Pending { name: decl.name.name.clone(), span: decl.name.span, id, arity: decl.arity };
        let frame = self.frame();
        frame.pending.last_mut().expect("one list at least").push(pending);
    }

    /// The definition for a name that is about to be defined: the declared one if RECURSIVE
    /// declared it here, else a new one.
    fn start_definition(
        &mut self,
        unit: &Unit,
        name: &Ident,
        kind: DefinitionKind,
        signature: Vec<u32>,
    ) -> (DefinitionId, bool) {
        let function = kind == DefinitionKind::Function;
        let frame = self.frame();
        let depth = frame.pending.len() - 1;
        let here = frame.pending[depth].iter().position(|it| it.name == name.name);
        if let Some(idx) = here {
            let pending = frame.pending[depth].remove(idx);
            let arity = signature.len() as u32;
            if function && pending.arity > 0 {
                self.report(
                    Diagnostic::error(
                        "E4292",
                        name.span,
                        format!("function `{}` was declared RECURSIVE with arguments", name.name),
                    )
                    .label("a function has no operator parameters")
                    .also(pending.span, "declared here")
                    .help(format!("write `RECURSIVE {}`", name.name)),
                );
            } else if pending.arity != arity {
                self.report(
                    Diagnostic::error(
                        "E4292",
                        name.span,
                        format!(
                            "`{}` was declared RECURSIVE with {}, but is defined with {}",
                            name.name,
                            super::path::arguments(pending.arity as usize),
                            super::path::arguments(arity as usize),
                        ),
                    )
                    .label("the definition")
                    .also(pending.span, "the declaration"),
                );
            }
            let definition = &mut self.spec.definitions[pending.id.index()];
            definition.name_span = name.span;
            definition.span = unit.span;
            definition.kind = kind;
            definition.local = unit.local;
            self.signatures[pending.id.index()] = signature;
            return (pending.id, true);
        }
        let outer = frame.pending[..depth]
            .iter()
            .rev()
            .flatten()
            .find(|it| it.name == name.name)
            .map(|it| it.span);
        if let Some(declared) = outer {
            self.report(
                Diagnostic::error(
                    "E4293",
                    name.span,
                    format!("`{}` is declared RECURSIVE outside of this LET", name.name),
                )
                .label("defined here")
                .also(declared, "declared here")
                .help("define it at the level of its declaration, or give this one another name"),
            );
        } else {
            self.check_free(name, |_| false);
        }
        let id = self.new_definition(name, unit.span, kind, signature);
        self.spec.definitions[id.index()].local = unit.local;
        (id, false)
    }

    fn operator(&mut self, unit: &Unit, definition: &ast::OperatorDefinition) -> DefinitionId {
        let signature: Vec<u32> = definition.params.iter().map(|it| it.arity).collect();
        let (id, _) =
            self.start_definition(unit, &definition.name, DefinitionKind::Operator, signature);
        let mark = self.scope.mark();
        let params =
            definition.params.iter().map(|it| self.bind(&it.name, it.arity, Role::Param)).collect();
        let body = self.in_definition(Some(id), |it| it.value(definition.body));
        self.check_own_name(&definition.name, &definition.params);
        self.scope.restore(mark);
        let it = &mut self.spec.definitions[id.index()];
        it.params = params;
        it.body = body;
        self.publish(&definition.name, Symbol::Definition { path: empty_path(), id }, unit.local);
        id
    }

    /// A parameter must not have the name of what it is a parameter of.
    pub(super) fn check_own_name(&mut self, name: &Ident, params: &[OperatorDecl]) {
        if let Some(param) = params.iter().find(|it| it.name.name == name.name) {
            self.report(
                Diagnostic::error(
                    "E4201",
                    name.span,
                    format!("`{}` has a parameter of its own name", name.name),
                )
                .label("defined here")
                .also(param.name.span, "the parameter")
                .help("rename the parameter"),
            );
        }
    }

    fn function(&mut self, unit: &Unit, definition: &ast::FunctionDefinition) -> DefinitionId {
        let (id, _) =
            self.start_definition(unit, &definition.name, DefinitionKind::Function, Vec::new());
        let arity = definition.binders.iter().map(|it| match &it.pattern {
            ast::Pattern::Names(names) => names.len(),
            ast::Pattern::Tuple(_) => 1,
        });
        self.function_arity.insert(id, arity.sum());
        let mark = self.scope.mark();
        let (body, mentioned) = self.in_definition(Some(id), |it| {
            let sets = it.binder_sets(&definition.binders);
            let symbol = Symbol::Definition { path: empty_path(), id };
            it.scope.set(definition.name.name.clone(), symbol, definition.name.span);
            it.open_functions.push((id, false));
            let binders = it.binders(&definition.binders, sets);
            let value = it.value(definition.body);
            let mentioned = it.open_functions.pop().is_some_and(|(_, seen)| seen);
            let kind = ExprKind::Function { binders, body: value };
            (it.expr(unit.span, kind), mentioned)
        });
        self.scope.restore(mark);
        let it = &mut self.spec.definitions[id.index()];
        it.body = body;
        it.recursive |= mentioned;
        self.publish(&definition.name, Symbol::Definition { path: empty_path(), id }, unit.local);
        id
    }

    /// A named THEOREM or ASSUME.
    pub(super) fn fact(&mut self, id: DefinitionId, name: &Ident, body: ExprId, local: bool) {
        let it = &mut self.spec.definitions[id.index()];
        it.body = body;
        it.local = local;
        self.facts.insert(id);
        if self.check_free(name, |_| false) {
            self.publish(name, Symbol::Definition { path: empty_path(), id }, local);
        }
        self.checks.push(Check::Definitions(vec![id]));
    }

    /// Resolves something that stands in a definition of its own (or in none).
    pub(super) fn in_definition<T>(
        &mut self,
        definition: Option<DefinitionId>,
        resolve: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let labels = match definition {
            Some(_) => LabelContext::Inside(vec![(Vec::new(), 0)]),
            None => LabelContext::Outside,
        };
        let outer_definition = self.context().definition;
        let context = Context {
            definition: definition.or(outer_definition),
            labels,
            at: self.chain.take(),
            ..Context::default()
        };
        let outer = std::mem::replace(self.context(), context);
        self.depth += 1;
        let result = resolve(self);
        self.depth -= 1;
        let context = std::mem::replace(self.context(), outer);
        if let (Some(id), LabelContext::Inside(mut labels)) = (definition, context.labels)
            && let Some((labels, _)) = labels.pop()
            && !labels.is_empty()
        {
            self.labels.insert(id, labels);
        }
        result
    }

    /// Reports a unit that may not stand between RECURSIVE and the definitions it announces.
    fn check_recursive_section(&mut self, unit: &Unit) {
        let Some(pending) = self.frame().pending[0].first() else { return };
        let what = match unit.kind {
            UnitKind::Constants(_) => "a constant declaration",
            UnitKind::Variables(_) => "a variable declaration",
            UnitKind::Assume { .. } => "an assumption",
            UnitKind::Theorem { .. } => "a theorem",
            UnitKind::UseOrHide(_) => "a USE or HIDE",
            UnitKind::Module(_) => "a nested module",
            _ => return,
        };
        let (name, declared) = (pending.name.clone(), pending.span);
        self.report(
            Diagnostic::error(
                "E4294",
                unit.span,
                format!("{what} stands between RECURSIVE and the definition of `{name}`"),
            )
            .label("not allowed here")
            .also(declared, format!("`{name}` is declared here and not yet defined"))
            .help("move it before the RECURSIVE declaration or after the definition"),
        );
    }

    /// Reports declarations of the innermost level that were never defined.
    pub(super) fn end_recursive_section(&mut self) {
        let frame = self.frame();
        let left = std::mem::take(frame.pending.last_mut().expect("one list at least"));
        let at_module = frame.pending.len() == 1;
        if at_module {
            let group = std::mem::take(&mut frame.group);
            if !group.is_empty() {
                self.checks.push(Check::Definitions(group));
            }
        }
        for pending in left {
            self.report(
                Diagnostic::error(
                    "E4291",
                    pending.span,
                    format!("`{}` is declared RECURSIVE but not defined", pending.name),
                )
                .label("declared here")
                .help("define it in the same module or LET, or remove the declaration"),
            );
        }
    }
}
