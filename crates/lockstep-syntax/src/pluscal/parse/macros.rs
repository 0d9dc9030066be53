//! Expansion of macros.

use rustc_hash::FxHashMap;

use super::{Parsed, Parser, Problem};
use crate::pluscal::ast::{Name, Stmt, StmtKind};
use crate::pluscal::expr::Expr;
use crate::pluscal::token::Kind;

impl Parser<'_> {
    pub(super) fn expand(&self, call: &Stmt, name: &Name, args: &[Expr]) -> Parsed<Vec<Stmt>> {
        let Some(found) = self.macros.get(&name.text) else {
            let message = format!("Macro {} undefined", name.text);
            return Err(Problem::new("pcal-macro-undefined", name.range.clone(), message)
                .help("a macro is defined before it is used, and does not use itself"));
        };
        if found.parameters.len() != args.len() {
            let message = format!(
                "Macro {} called with wrong number of arguments: {} instead of {}",
                name.text,
                args.len(),
                found.parameters.len()
            );
            return Err(Problem::new("pcal-arguments", name.range.clone(), message));
        }
        let map: FxHashMap<String, Expr> =
            found.parameters.iter().cloned().zip(args.iter().cloned()).collect();
        let mut body = found.body.clone();
        for stmt in &mut body {
            expand_statement(stmt, &map, call)?;
        }
        Ok(body)
    }
}

fn expand_statement(stmt: &mut Stmt, args: &FxHashMap<String, Expr>, call: &Stmt) -> Parsed<()> {
    stmt.called_at.push(call.range.clone());
    for expr in stmt.kind.exprs_mut() {
        expr.substitute(args);
    }
    let called_at = stmt.called_at.clone();
    if let StmtKind::Assign(assigns) = &mut stmt.kind {
        for assign in assigns {
            let Some(arg) = args.get(&assign.variable.text) else { continue };
            let mut pieces = arg.pieces();
            let variable = pieces.next().filter(|piece| piece.kind == Kind::Ident);
            let rest_is_subscript =
                pieces.next().is_none_or(|piece| matches!(piece.text.as_str(), "[" | "."));
            let Some(variable) = variable.filter(|_| rest_is_subscript) else {
                let message = format!(
                    "Macro expansion substitutes `{}' for assignment variable",
                    arg.to_line()
                );
                let mut problem =
                    Problem::new("pcal-macro-assign", assign.variable.range.clone(), message);
                problem.called_at = called_at;
                return Err(problem);
            };
            assign.variable.text.clone_from(&variable.text);
            let mut subscript = arg.without_first();
            subscript.append(&assign.subscript);
            assign.subscript = subscript;
        }
    }
    if let StmtKind::Goto(label) = &mut stmt.kind
        && let Some(piece) = args.get(&label.text).and_then(Expr::single)
    {
        label.text.clone_from(&piece.text);
    }
    for list in stmt.kind.lists_mut() {
        for inner in list {
            expand_statement(inner, args, call)?;
        }
    }
    Ok(())
}
