//! The assertions inside the semantic corpus: `RefersTo(e, "id")` says that a name means what is
//! defined after the comment `(* ID: id *)`, `IsLevel(e, ActionLevel)` what level it has.

use lockstep_semantic::Analysis;
use lockstep_semantic::hir::{Argument, ExprId, ExprKind, Level, Operator, Spec};
use lockstep_syntax::Span;

use super::corpus::{analyse_file, corpus};

/// Where what an expression names is defined or declared.
fn origin(spec: &Spec, id: ExprId) -> Option<Span> {
    match &spec.expr(id).kind {
        ExprKind::Local(local) => Some(spec.local(*local).span),
        ExprKind::Apply { op, .. } => match op {
            Operator::Decl(id) => Some(spec.decl(*id).span),
            Operator::Local(id) => Some(spec.local(*id).span),
            Operator::Definition(it) => Some(spec.definition(it.definition).name_span),
            Operator::Builtin(_) => None,
        },
        _ => None,
    }
}

/// The id in the last comment before a place.
fn id_before(spec: &Spec, span: Span) -> Option<String> {
    let text = &spec.sources.file(span.file).text[..span.start as usize];
    let start = text.rfind("(* ID:")? + "(* ID:".len();
    let end = start + text[start..].find("*)")?;
    Some(text[start..end].trim().to_owned())
}

fn check(analysis: &Analysis, wrong: &mut Vec<String>) -> usize {
    let spec = &analysis.spec;
    let mut n_checked = 0;
    for expr in &spec.exprs {
        let ExprKind::Apply { op: Operator::Definition(it), args } = &expr.kind else { continue };
        let [Argument::Expr(subject), Argument::Expr(expected)] = args.as_slice() else { continue };
        let name = spec.definition(it.definition).name.as_str();
        let place = || {
            let at = spec.sources.location(expr.span);
            let file = &spec.sources.file(expr.span.file).name;
            format!("{file}:{}:{}: {}", at.line, at.col, spec.sources.text(expr.span))
        };
        match (name, &spec.expr(*expected).kind) {
            ("RefersTo", ExprKind::String(id)) => {
                n_checked += 1;
                let found = origin(spec, *subject).and_then(|span| id_before(spec, span));
                if found.as_deref() != Some(id.as_str()) {
                    wrong.push(format!("{}: refers to {found:?}", place()));
                }
            }
            ("IsLevel", ExprKind::Apply { op: Operator::Definition(level), .. }) => {
                n_checked += 1;
                let level = match spec.definition(level.definition).name.as_str() {
                    "ConstantLevel" => Level::Constant,
                    "VariableLevel" => Level::State,
                    "ActionLevel" => Level::Action,
                    _ => Level::Temporal,
                };
                let found = spec.expr(*subject).level;
                if found != level {
                    wrong.push(format!("{}: has level {found:?}", place()));
                }
            }
            _ => {}
        }
    }
    n_checked
}

#[test]
fn names_and_levels_are_as_asserted() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("syntax/semantic");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus is readable")
        .map(|entry| entry.expect("the corpus is readable").path())
        .filter(|path| path.extension().is_some_and(|it| it == "tla"))
        .collect();
    paths.sort();
    let (mut n_checked, mut wrong) = (0, Vec::new());
    for path in paths {
        let analysis = analyse_file(&corpus, &path);
        n_checked += check(&analysis, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_checked > 500, "only {n_checked} assertions");
}
