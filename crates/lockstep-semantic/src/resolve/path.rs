//! General names: `x`, `F(a)`, `N(3)!K!Op(a)`, `Op(a)!lab(b)!2`.

use std::rc::Rc;

use lockstep_syntax::ast::{self, Selector};
use lockstep_syntax::{Diagnostic, Span};

use super::{Resolver, Target};
use crate::hir::{
    Argument, ExprKind, InstanceId, InstanceStep, LocalId, ModuleId, Operator, OperatorArgument,
};
use crate::levels::Role;
use crate::scope::{Path, Symbol};
use crate::suggest;

/// `1 argument`, `2 arguments`.
pub(super) fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

impl Resolver<'_> {
    /// Resolves a general name up to the arguments of its last step.
    pub(super) fn path(&mut self, steps: &[ast::PathStep], span: Span) -> Option<Target> {
        let (first, _) = steps.split_first()?;
        let Selector::Name(name) = &first.selector else {
            self.report(Diagnostic::error(
                "E4200",
                first.span,
                "a name must begin with an identifier",
            ));
            return None;
        };
        let Some(entry) = self.scope.get(name) else {
            let place = self.name_span(first);
            self.unknown(name, place);
            return None;
        };
        let mut symbol = entry.symbol.clone();
        let mut name = name.clone();
        let mut idx = 0;
        let mut lead = Vec::new();
        while let Symbol::Instance { path, id } = &symbol {
            let step = &steps[idx];
            let path = self.through(path, *id, step, &mut lead)?;
            let Some(next) = steps.get(idx + 1) else {
                self.callee(&symbol, &name, span);
                return None;
            };
            let Selector::Name(member) = &next.selector else {
                self.report(
                    Diagnostic::error(
                        "E4203",
                        next.span,
                        format!("an operator of the instance `{name}` must be named here"),
                    )
                    .label("not a name"),
                );
                return None;
            };
            let place = self.name_span(next);
            symbol = self.member(&path, *id, &name, member, place)?;
            name = member.clone();
            idx += 1;
        }
        let step = &steps[idx];
        let rest = &steps[idx + 1..];
        if !rest.is_empty() {
            return self.subexpression(&symbol, &name, step, rest, span, lead);
        }
        let (callee, signature) = self.callee(&symbol, &name, step.span)?;
        let args = step.args.clone();
        Some(Target { callee, signature, given: Vec::new(), args, name, span, lead })
    }

    /// A step of a name without its arguments.
    fn name_span(&self, step: &ast::PathStep) -> Span {
        let text = self.spec.sources.text(step.span);
        match text.find('(') {
            Some(end) if end > 0 && !step.args.is_empty() => {
                let length = text[..end].trim_end().len() as u32;
                Span::new(step.span.file, step.span.start, step.span.start + length)
            }
            _ => step.span,
        }
    }

    /// The path one instance further. Parameters without arguments become parameters of the whole
    /// name, which is then an operator (`lead`).
    fn through(
        &mut self,
        path: &Path,
        id: InstanceId,
        step: &ast::PathStep,
        lead: &mut Vec<LocalId>,
    ) -> Option<Path> {
        let locals = self.spec.instance(id).params.clone();
        let params: Vec<u32> = locals.iter().map(|local| self.spec.local(*local).arity).collect();
        let name = self.spec.instance(id).name.clone().unwrap_or_default();
        if step.args.is_empty() && !params.is_empty() {
            let mut args = Vec::with_capacity(params.len());
            for (local, arity) in locals.iter().zip(params) {
                let name = self.spec.local(*local).name.clone();
                let local = self.new_local(&name, step.span, arity, Role::Param);
                lead.push(local);
                args.push(if arity == 0 {
                    Argument::Expr(self.expr(step.span, ExprKind::Local(local)))
                } else {
                    Argument::Operator(OperatorArgument::Named(Operator::Local(local)))
                });
            }
            return Some(self.extended_path(path, id, args));
        }
        if params.len() != step.args.len() {
            let place = self.spec.instance(id).span;
            self.report(
                Diagnostic::error(
                    "E4204",
                    step.span,
                    format!(
                        "instance `{name}` takes {}, but is given {}",
                        arguments(params.len()),
                        arguments(step.args.len())
                    ),
                )
                .label(format!("{} here", arguments(step.args.len())))
                .also(place, format!("`{name}` is defined here")),
            );
            return None;
        }
        let mut args = Vec::with_capacity(params.len());
        for (idx, (arg, arity)) in step.args.iter().zip(params).enumerate() {
            args.push(self.argument(*arg, arity, &name, idx));
        }
        Some(self.extended_path(path, id, args))
    }

    /// The path with one more step.
    pub(super) fn extended_path(
        &self,
        path: &Path,
        id: InstanceId,
        args: Vec<crate::hir::Argument>,
    ) -> Path {
        let mut steps = path.to_vec();
        steps.push(InstanceStep { instance: id, args });
        Rc::from(steps)
    }

    /// What `member` is in the module that an instance instantiates.
    fn member(
        &mut self,
        path: &Path,
        id: InstanceId,
        instance: &ast::Name,
        member: &ast::Name,
        span: Span,
    ) -> Option<Symbol> {
        let target = self.spec.instance(id).target;
        let info = &self.modules[target.index()];
        let export = info
            .index
            .get(member)
            .map(|idx| &info.exports[*idx])
            .filter(|export| !export.local && !matches!(export.symbol, Symbol::Decl(_)));
        let Some(export) = export else {
            if info.incomplete {
                return None;
            }
            let module = &self.spec.module(target).name;
            let mut diagnostic =
                Diagnostic::error("E4200", span, format!("unknown operator `{instance}!{member}`"))
                    .label(format!("module `{module}` offers no definition of this name"));
            let hidden = info.index.get(member).map(|idx| &info.exports[*idx]);
            if let Some(hidden) = hidden {
                diagnostic = diagnostic.also(
                    hidden.span,
                    if hidden.local { "it is LOCAL to its module" } else { "it is only declared" },
                );
            } else {
                let names = info.exports.iter().filter(|it| !it.local).map(|it| &it.name);
                if let Some(close) = suggest::closest(member, names) {
                    diagnostic = diagnostic.help(format!("did you mean `{instance}!{close}`?"));
                }
            }
            self.report(diagnostic);
            return None;
        };
        Some(self.through_path(path, &export.symbol.clone()))
    }

    /// A symbol of an instantiated module as it is seen from outside.
    pub(super) fn through_path(&self, path: &Path, symbol: &Symbol) -> Symbol {
        // What cannot mention a declaration is the same through every instance.
        let join = |inner: &Path, home: ModuleId| -> Path {
            let home = match inner.first() {
                Some(step) => self.spec.instance(step.instance).module,
                None => home,
            };
            if self.modules[home.index()].closed {
                Rc::clone(inner)
            } else if inner.is_empty() {
                Rc::clone(path)
            } else {
                path.iter().chain(inner.iter()).cloned().collect()
            }
        };
        match symbol {
            Symbol::Definition { path: inner, id } => {
                Symbol::Definition { path: join(inner, self.spec.definition(*id).module), id: *id }
            }
            Symbol::Instance { path: inner, id } => {
                Symbol::Instance { path: join(inner, self.spec.instance(*id).module), id: *id }
            }
            Symbol::Predefined(_) | Symbol::Local(_) | Symbol::Decl(_) | Symbol::Step(_) => {
                symbol.clone()
            }
        }
    }
}
