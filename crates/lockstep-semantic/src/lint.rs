//! Warnings about what is legal but likely wrong: record fields named as definitions (W4802), and a
//! PlusCal translation that does not belong to its algorithm any more (W4803 to W4805).

use lockstep_syntax::ast::Ident;
use lockstep_syntax::{Diagnostic, FileId, SourceFile};

use crate::hir::{Argument, DefinitionId, ExprId, ExprKind, ModuleId, Operator};
use crate::resolve::Resolver;
use crate::scope::Symbol;

impl Resolver<'_> {
    /// `[Foo |-> 42]` where the module defines `Foo`: only where the value mentions no name that
    /// was declared or bound, for then the field may well be meant to be that definition.
    pub(crate) fn field_clash(&mut self, module: ModuleId, field: &Ident, value: ExprId) {
        let info = &self.modules[module.index()];
        let Some(idx) = info.index.get(&field.name) else { return };
        let export = &info.exports[*idx];
        if matches!(export.symbol, Symbol::Decl(_)) || !self.is_closed(value, &mut Vec::new()) {
            return;
        }
        let defined = export.span;
        self.report(
            Diagnostic::warning(
                "W4802",
                field.span,
                format!("field `{}` has the name of a definition", field.name),
            )
            .label("this is the string, not the definition")
            .also(defined, format!("`{}` is defined here", field.name))
            .note("the names of record fields are strings"),
        );
    }

    /// Whether an expression mentions no declared and no bound name, its definitions included.
    fn is_closed(&self, id: ExprId, seen: &mut Vec<DefinitionId>) -> bool {
        let all = |items: &[ExprId], seen: &mut Vec<DefinitionId>| {
            items.iter().all(|item| self.is_closed(*item, seen))
        };
        match &self.spec.expr(id).kind {
            ExprKind::Error | ExprKind::Integer(_) | ExprKind::Decimal(_) | ExprKind::String(_) => {
                true
            }
            ExprKind::Apply { op: Operator::Builtin(_), args } => {
                args.iter().all(|arg| match arg {
                    Argument::Expr(id) => self.is_closed(*id, seen),
                    Argument::Operator(_) => false,
                })
            }
            ExprKind::Apply { op: Operator::Definition(it), args } => {
                let definition = self.spec.definition(it.definition);
                if !args.is_empty() || !it.path.is_empty() || !definition.params.is_empty() {
                    return false;
                }
                if seen.contains(&it.definition) || seen.len() > 64 {
                    return seen.len() <= 64;
                }
                seen.push(it.definition);
                self.is_closed(definition.body, seen)
            }
            ExprKind::And(items)
            | ExprKind::Or(items)
            | ExprKind::Tuple(items)
            | ExprKind::SetEnum(items) => all(items, seen),
            ExprKind::Record(fields) | ExprKind::RecordSet(fields) => {
                fields.iter().all(|(_, value)| self.is_closed(*value, seen))
            }
            ExprKind::FunctionApply { function, args } => {
                self.is_closed(*function, seen) && all(args, seen)
            }
            ExprKind::Field { record, .. } => self.is_closed(*record, seen),
            ExprKind::If { condition, then, otherwise } => {
                all(&[*condition, *then, *otherwise], seen)
            }
            ExprKind::Let { body, .. } | ExprKind::Label { body, .. } => {
                self.is_closed(*body, seen)
            }
            _ => false,
        }
    }
}

/// Compares the checksums that a PlusCal translation carries with the text.
pub(crate) fn checksums(source: &SourceFile, file: FileId, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(lockstep_syntax::pluscal::translation_is_stale(&source.text, file));
}
