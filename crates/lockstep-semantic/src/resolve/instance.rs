//! INSTANCE: substitutions and what it brings into scope.

use std::rc::Rc;

use lockstep_syntax::ast::{self, Ident, OperatorDecl, Unit};
use lockstep_syntax::{Diagnostic, Span};

use super::path::arguments;
use super::{Callee, Export, Resolver, empty_path};
use crate::builtins::Predefined;
use crate::check::Check;
use crate::hir::{
    Argument, DeclId, ExprKind, Instance, InstanceId, LocalId, ModuleId, Operator, OperatorArgument,
};
use crate::levels::Role;
use crate::scope::Symbol;

impl Resolver<'_> {
    /// `N(x) == INSTANCE M WITH …`.
    pub(super) fn named_instance(
        &mut self,
        unit: &Unit,
        name: &Ident,
        params: &[OperatorDecl],
        instance: &ast::Instance,
    ) {
        self.check_free(name, |_| false);
        self.check_own_name(name, params);
        let mark = self.scope.mark();
        let params = params.iter().map(|it| self.bind(&it.name, it.arity, Role::Param)).collect();
        self.depth += 1;
        let id = self.instance(instance, Some(name), params, unit.span, unit.local);
        self.depth -= 1;
        self.scope.restore(mark);
        if let Some(id) = id {
            self.publish(name, Symbol::Instance { path: empty_path(), id }, unit.local);
        } else {
            self.frame().info.incomplete = true;
        }
    }

    /// `INSTANCE M WITH …`.
    pub(super) fn unnamed_instance(&mut self, local: bool, instance: &ast::Instance) {
        let Some(id) = self.instance(instance, None, Vec::new(), instance.span, local) else {
            return;
        };
        let target = self.spec.instance(id).target;
        let path = self.extended_path(&empty_path(), id, Vec::new());
        let exports = self.modules[target.index()].exports.clone();
        for export in &exports {
            if export.local || matches!(export.symbol, Symbol::Decl(_)) {
                continue;
            }
            let symbol = self.through_path(&path, &export.symbol);
            self.import_instance(instance, export, symbol, local);
        }
    }

    fn import_instance(
        &mut self,
        instance: &ast::Instance,
        export: &Export,
        symbol: Symbol,
        local: bool,
    ) {
        let name = &export.name;
        if let Some(entry) = self.scope.get(name) {
            if self.same(&entry.symbol, &symbol) {
                if self.at_module_level() {
                    let export = Export { name: name.clone(), symbol, span: export.span, local };
                    self.export(export);
                }
                return;
            }
            let place = entry.span;
            let key = (name.clone(), export.span);
            if matches!(symbol, Symbol::Instance { .. }) || !self.clashes.insert(key) {
                return;
            }
            let Some(entry) = self.scope.get(name) else { return };
            let unifies = self.shape(&entry.symbol) == self.shape(&symbol);
            let headline =
                format!("`{name}` of module `{}` clashes with another", instance.module.name);
            let mut diagnostic = if unifies {
                Diagnostic::warning("W4801", instance.module.span, headline)
                    .note(format!("the first meaning of `{name}` is used"))
            } else {
                Diagnostic::error("E4201", instance.module.span, headline)
                    .note("they differ in kind or in the number of arguments")
            }
            .label(format!("instantiated here, it brings a second `{name}`"))
            .also(export.span, "the second meaning")
            .help("rename one of them, or give the INSTANCE a name");
            if let Some(place) = place {
                diagnostic = diagnostic.also(place, "the first meaning");
            }
            self.report(diagnostic);
            return;
        }
        self.scope.set(name.clone(), symbol.clone(), export.span);
        if self.at_module_level() {
            let export = Export { name: name.clone(), symbol, span: export.span, local };
            self.export(export);
        }
    }

    /// Resolves the substitutions of an INSTANCE.
    pub(super) fn instance(
        &mut self,
        instance: &ast::Instance,
        name: Option<&Ident>,
        params: Vec<LocalId>,
        span: Span,
        local: bool,
    ) -> Option<InstanceId> {
        let Some(target) = self.find_module(&instance.module, false) else {
            for (_, value) in &instance.substitutions {
                let ast = self.tree();
                if matches!(
                    ast.expr(*value).kind,
                    ast::ExprKind::Name(_) | ast::ExprKind::Lambda { .. }
                ) {
                    continue;
                }
                self.value(*value);
            }
            return None;
        };
        let substitutions = self.substitutions(instance, target);
        let module = self.frame().module;
        let id = InstanceId(self.spec.instances.len() as u32);
        self.spec.instances.push(Instance {
            name: name.map(|it| it.name.clone()),
            span,
            module,
            target,
            params,
            substitutions,
            local,
        });
        self.checks.push(Check::Instance(id));
        Some(id)
    }

    fn substitutions(
        &mut self,
        instance: &ast::Instance,
        target: ModuleId,
    ) -> Vec<(DeclId, Argument)> {
        let decls = self.modules[target.index()].decls.clone();
        let mut explicit: Vec<(DeclId, Argument)> = Vec::new();
        let mut seen: Vec<&Ident> = Vec::new();
        for (name, value) in &instance.substitutions {
            if let Some(first) = seen.iter().find(|it| it.name == name.name) {
                self.report(
                    Diagnostic::error(
                        "E4241",
                        name.span,
                        format!("`{}` is substituted twice", name.name),
                    )
                    .label("the second time")
                    .also(first.span, "the first time"),
                );
                continue;
            }
            seen.push(name);
            let decl = decls.iter().find(|it| self.spec.decl(**it).name == name.name).copied();
            match decl {
                Some(decl) => {
                    let argument = self.substitution(name, *value, decl);
                    explicit.push((decl, argument));
                }
                None => self.illegal_substitution(name, target, &decls),
            }
        }
        let mut result = Vec::with_capacity(decls.len());
        for decl in decls {
            let given = explicit.iter().position(|(it, _)| *it == decl);
            let argument = match given {
                Some(idx) => explicit[idx].1.clone(),
                None => self.implicit(decl, instance),
            };
            result.push((decl, argument));
        }
        result
    }

    fn substitution(&mut self, name: &Ident, value: ast::ExprId, decl: DeclId) -> Argument {
        let arity = self.spec.decl(decl).arity;
        if arity == 0 {
            return Argument::Expr(self.value(value));
        }
        let span = self.tree().expr(value).span;
        let what = format!("what is put for `{}`", name.name);
        self.operator_argument(value, arity as usize, &what, ("E4243", "E4243", "E4243"))
            .unwrap_or_else(|| Argument::Expr(self.error_expr(span)))
    }

    fn illegal_substitution(&mut self, name: &Ident, target: ModuleId, decls: &[DeclId]) {
        let module = self.spec.module(target).name.clone();
        let info = &self.modules[target.index()];
        if info.incomplete {
            return;
        }
        let mut diagnostic = Diagnostic::error(
            "E4242",
            name.span,
            format!("module `{module}` declares no constant or variable `{}`", name.name),
        )
        .label("only a declared CONSTANT or VARIABLE can be substituted");
        if let Some(idx) = info.index.get(&name.name) {
            diagnostic = diagnostic.also(info.exports[*idx].span, "it is a definition");
        }
        let names = decls.iter().map(|it| &self.spec.decl(*it).name);
        if let Some(close) = crate::suggest::closest(&name.name, names) {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        }
        self.report(diagnostic);
    }

    /// The same name in scope, for a declaration that no substitution mentions.
    fn implicit(&mut self, decl: DeclId, instance: &ast::Instance) -> Argument {
        let span = instance.span;
        let (name, arity, declared) = {
            let decl = self.spec.decl(decl);
            (decl.name.clone(), decl.arity as usize, decl.span)
        };
        let found = match self.scope.get(&name).map(|entry| entry.symbol.clone()) {
            None | Some(Symbol::Instance { .. } | Symbol::Step(_)) => None,
            Some(symbol) => self.callee(&symbol, &name, span),
        };
        let Some((callee, signature)) = found else {
            if self.complete() {
                let module = &instance.module.name;
                let mut diagnostic = Diagnostic::error(
                    "E4240",
                    span,
                    format!("nothing is substituted for `{name}` of module `{module}`"),
                )
                .label(format!("no `{name}` is visible here either"))
                .also(declared, "declared here")
                .help(format!("add `{name} <- …` to WITH, or define `{name}` before"));
                if let Some(close) = crate::suggest::closest(&name, self.scope.names()) {
                    diagnostic = diagnostic.note(format!("`{close}` is visible here"));
                }
                self.report(diagnostic);
            }
            return Argument::Expr(self.error_expr(span));
        };
        if signature.len() != arity || signature.iter().any(|it| *it > 0) {
            self.report(
                Diagnostic::error(
                    "E4243",
                    span,
                    format!(
                        "`{name}` must take {} to be put for `{name}` of module `{}`, but takes {}",
                        arguments(arity),
                        instance.module.name,
                        arguments(signature.len())
                    ),
                )
                .label("substituted by its name here")
                .also(declared, "declared here"),
            );
            return Argument::Expr(self.error_expr(span));
        }
        let op = match callee {
            Callee::Operator(op) => op,
            Callee::Predefined(Predefined::Operator(builtin)) => Operator::Builtin(builtin),
            // No constant can have the name of a predefined operator.
            Callee::Predefined(Predefined::And | Predefined::Or) => {
                return Argument::Expr(self.error_expr(span));
            }
        };
        if arity > 0 {
            return Argument::Operator(OperatorArgument::Named(op));
        }
        let kind = match op {
            Operator::Local(local) => ExprKind::Local(local),
            op => ExprKind::Apply { op, args: Vec::new() },
        };
        Argument::Expr(self.expr(span, kind))
    }

    /// The path to the operators of an instance inside a proof.
    pub(super) fn proof_instance(&mut self, instance: &ast::Instance) {
        let instance = Rc::new(instance.clone());
        self.unnamed_instance(true, &instance);
    }
}
