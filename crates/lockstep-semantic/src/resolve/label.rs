//! Labels: `lab(x) :: e`, with exactly the bound names between the label and the definition, or the
//! label, around it.

use lockstep_syntax::ast::{Ident, Name};
use lockstep_syntax::{Diagnostic, Span};

use super::{LabelContext, Resolver};
use crate::hir::{ExprId, LocalId};
use crate::scope::{LabelNode, Symbol};

impl Resolver<'_> {
    /// Checks a label and resolves what it labels.
    pub(super) fn label(
        &mut self,
        name: &Ident,
        params: &[Ident],
        body: impl FnOnce(&mut Self) -> ExprId,
    ) -> ExprId {
        let problem = match &self.context().labels {
            LabelContext::Outside => Some((
                "E4333",
                "a label may only stand in a definition, a named theorem or assumption, or a named proof step",
            )),
            LabelContext::Except => Some(("E4335", "a label may not stand inside an EXCEPT")),
            LabelContext::InnerAssume => Some((
                "E4334",
                "a label may not stand inside an inner ASSUME/PROVE that declares a NEW name",
            )),
            LabelContext::Inside(_) => None,
        };
        if let Some((code, headline)) = problem {
            self.report(
                Diagnostic::error(code, name.span, headline)
                    .label("this label")
                    .help("remove the label"),
            );
            return body(self);
        }
        let params = self.label_params(name, params);
        let n_bound = self.context().bound.len();
        self.check_duplicate(&name.name, name.span);
        let lets = self.context().lets.clone();
        if let LabelContext::Inside(frames) = &mut self.context().labels {
            frames.push((Vec::new(), n_bound));
        }
        let body = body(self);
        if let LabelContext::Inside(frames) = &mut self.context().labels {
            let children = frames.pop().map(|(children, _)| children).unwrap_or_default();
            if let Some((siblings, _)) = frames.last_mut() {
                siblings.push(LabelNode {
                    name: name.name.clone(),
                    span: name.span,
                    params,
                    body,
                    lets,
                    children,
                });
            }
        }
        body
    }

    fn check_duplicate(&mut self, name: &Name, span: Span) {
        let LabelContext::Inside(frames) = &self.context().labels else { return };
        let before = frames
            .last()
            .and_then(|(siblings, _)| siblings.iter().find(|it| it.name == *name))
            .map(|it| it.span);
        if let Some(before) = before {
            self.report(
                Diagnostic::error("E4336", span, format!("label `{name}` is used twice"))
                    .label("the second time")
                    .also(before, "the first time")
                    .help("give the labels different names, or nest one in the other"),
            );
        }
    }

    /// The bound names a label must list, in the order in which it lists them.
    fn label_params(&mut self, name: &Ident, params: &[Ident]) -> Vec<LocalId> {
        let context = self.context();
        let start = match &context.labels {
            LabelContext::Inside(frames) => frames.last().map_or(0, |(_, start)| *start),
            _ => 0,
        };
        let needed: Vec<LocalId> = context.bound[start.min(context.bound.len())..].to_vec();
        let mut given: Vec<LocalId> = Vec::with_capacity(params.len());
        for (idx, param) in params.iter().enumerate() {
            if let Some(first) = params[..idx].iter().find(|it| it.name == param.name) {
                self.report(
                    Diagnostic::error(
                        "E4330",
                        param.span,
                        format!("label `{}` lists `{}` twice", name.name, param.name),
                    )
                    .label("the second time")
                    .also(first.span, "the first time"),
                );
                continue;
            }
            let local = match self.scope.get(&param.name).map(|entry| &entry.symbol) {
                Some(Symbol::Local(local)) if needed.contains(local) => Some(*local),
                _ => None,
            };
            match local {
                Some(local) => given.push(local),
                None => self.report(
                    Diagnostic::error(
                        "E4332",
                        param.span,
                        format!("label `{}` lists `{}` without need", name.name, param.name),
                    )
                    .label("not a bound name between the label and its definition")
                    .help("list only the names bound by quantifiers and the like around the label"),
                ),
            }
        }
        let names: Vec<&str> =
            needed.iter().map(|local| self.spec.local(*local).name.as_str()).collect();
        let all = names.join(", ");
        for local in needed {
            if given.contains(&local) {
                continue;
            }
            let it = self.spec.local(local).clone();
            self.report(
                Diagnostic::error(
                    "E4331",
                    name.span,
                    format!("label `{}` must list the bound name `{}`", name.name, it.name),
                )
                .label("its parameters are incomplete")
                .also(it.span, format!("`{}` is bound here", it.name))
                .help(format!("write `{}({all}) ::`", name.name)),
            );
            given.push(local);
        }
        given
    }
}
