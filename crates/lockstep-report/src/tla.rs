//! A counterexample as a TLA+ module that replays it (`SPEC_TTrace_…`), with its model inside.
//!
//! The parts are those of TLC's trace specifications, so that tools which look for `_expression`,
//! `_trace` and `_inv` find them: the states as a sequence of records, an initial predicate and a
//! next-state relation that walk along it, an invariant or property that its end breaks, and an
//! ALIAS that people edit to look at other expressions. One module differs from the file's name
//! nowhere: a module that is asked for by a file must stand first in it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::model::{Binding, Lasso, Outcome, Trace};

/// The module under its usual name.
pub fn render(it: &Outcome) -> String {
    module(it, &format!("{}_TTrace", it.spec))
}

/// The module, named `name`; it must be stored as `name.tla` beside the specification.
pub fn module(it: &Outcome, name: &str) -> String {
    let empty = Trace::default();
    let trace = it.trace().unwrap_or(&empty);
    let module = Module {
        outcome: it,
        trace,
        name,
        variables: variables(it, trace),
        model_values: model_values(it, trace),
    };
    module.render()
}

struct Module<'a> {
    outcome: &'a Outcome,
    trace: &'a Trace,
    name: &'a str,
    variables: Vec<&'a str>,
    model_values: Vec<String>,
}

fn variables<'a>(outcome: &'a Outcome, trace: &'a Trace) -> Vec<&'a str> {
    if !outcome.variables.is_empty() {
        return outcome.variables.iter().map(String::as_str).collect();
    }
    let first = trace.steps.first();
    first.map_or_else(Vec::new, |it| it.state.iter().map(|it| it.name.as_str()).collect())
}

/// Model values that the trace mentions and no constant of the specification is called.
fn model_values(outcome: &Outcome, trace: &Trace) -> Vec<String> {
    let mut found: BTreeSet<String> = outcome.model_values.iter().cloned().collect();
    for step in &trace.steps {
        step.state.iter().for_each(|it| it.value.model_values(&mut found));
    }
    for line in &outcome.constants {
        // `a = a` declares the constant `a`: it must not be declared twice.
        let name = line.split(['=', '<', '(']).next().unwrap_or("").trim();
        found.remove(name);
    }
    found.into_iter().collect()
}

impl Module<'_> {
    fn render(&self) -> String {
        let spec = &self.outcome.spec;
        let extends = self.extends();
        let mut out = String::new();
        let _ = write!(
            out,
            "---- MODULE {name} ----\nEXTENDS Sequences, TLCExt, {extends}, Toolbox, Naturals, TLC\n\n\
             _expression ==\n    LET {spec}_TEExpression == INSTANCE {spec}_TEExpression\n    \
             IN {spec}_TEExpression!expression\n----\n\n\
             _trace ==\n    LET {spec}_TETrace == INSTANCE {spec}_TETrace\n    \
             IN {spec}_TETrace!trace\n----\n\n",
            name = self.name,
        );
        out += &self.property();
        out += &self.walk();
        out += &self.view();
        out.push_str(LINE);
        out += &self.expression_module(&extends);
        out += &self.trace_module(&extends);
        out += &self.constants_module();
        out += &self.config();
        out
    }

    fn extends(&self) -> String {
        let spec = &self.outcome.spec;
        if self.model_values.is_empty() && !self.has_lasso() {
            spec.clone()
        } else {
            format!("{spec}, {spec}_TEConstants")
        }
    }

    fn loop_start(&self) -> Option<usize> {
        match self.trace.lasso {
            Some(Lasso::BackTo { n, .. }) => Some(n),
            Some(Lasso::Stuttering) | None => None,
        }
    }

    fn has_lasso(&self) -> bool {
        self.loop_start().is_some()
    }

    /// The negation of what the trace shows.
    fn property(&self) -> String {
        let Some(last) = self.trace.steps.last() else {
            return "_inv ==\n    TRUE\n----\n\n".to_owned();
        };
        match &self.trace.lasso {
            None => format!(
                "_inv ==\n    ~(\n        TLCGet(\"level\") = Len(_TETrace)\n        /\\\n{}    )\n----\n\n",
                conjunction(&last.state, 8)
            ),
            Some(Lasso::Stuttering) => {
                format!("_prop ==\n    ~<>[](\n{}    )\n----\n\n", conjunction(&last.state, 8))
            }
            Some(Lasso::BackTo { n, .. }) => {
                let states = self.trace.steps.iter().filter(|it| it.n >= *n);
                let parts: Vec<String> = states
                    .map(|it| format!("([]<>(\n{}    ))", conjunction(&it.state, 12)))
                    .collect();
                format!("_prop ==\n    ~({})\n----\n\n", parts.join("/\\"))
            }
        }
    }

    fn walk(&self) -> String {
        let width = self.variables.iter().map(|it| it.chars().count()).max().unwrap_or(0);
        let mut out = String::from("_init ==\n");
        for it in &self.variables {
            let _ = writeln!(out, "    /\\ {it:width$} = _TETrace[1].{it}");
        }
        out.push_str("----\n\n_next ==\n    /\\ \\E i, j \\in DOMAIN _TETrace:\n");
        out.push_str("        /\\ \\/ /\\ j = i + 1\n              /\\ i = TLCGet(\"level\")\n");
        if self.has_lasso() {
            out.push_str(
                "           \\/ /\\ i = _TTraceLassoEnd\n              /\\ j = _TTraceLassoStart\n",
            );
        }
        for it in &self.variables {
            let _ = writeln!(out, "        /\\ {it:width$}  = _TETrace[i].{it}");
            let primed = format!("{it}'");
            let _ = writeln!(out, "        /\\ {primed:0$} = _TETrace[j].{it}", width + 1);
        }
        out.push('\n');
        out
    }

    fn view(&self) -> String {
        if !self.has_lasso() {
            return String::new();
        }
        format!(
            "_view ==\n    <<{}, IF TLCGet(\"level\") = _TTraceLassoEnd + 1 THEN _TTraceLassoStart ELSE TLCGet(\"level\")>>\n\n",
            self.variables.join(", ")
        )
    }

    fn expression_module(&self, extends: &str) -> String {
        let spec = &self.outcome.spec;
        let fields: Vec<String> =
            self.variables.iter().map(|it| format!("{it} |-> {it}")).collect();
        format!(
            "\nWhat the trace shows in place of the variables; change it, or move it to a file\n\
             {spec}_TEExpression.tla, which is then preferred.\n\n\
             ---- MODULE {spec}_TEExpression ----\n\
             EXTENDS Sequences, TLCExt, {extends}, Toolbox, Naturals, TLC\n\n\
             expression ==\n    [\n        {}\n        \\* ,_stateNumber |-> _TEPosition\n    ]\n\n{LINE}",
            fields.join("\n        ,")
        )
    }

    fn trace_module(&self, extends: &str) -> String {
        let spec = &self.outcome.spec;
        let states: Vec<String> = (self.trace.steps.iter())
            .map(|it| {
                let fields: Vec<String> =
                    it.state.iter().map(|it| format!("{} |-> {}", it.name, it.text)).collect();
                format!("    ([{}])", fields.join(","))
            })
            .collect();
        format!(
            "\n---- MODULE {spec}_TETrace ----\nEXTENDS {extends}, TLC\n\ntrace ==\n    <<\n{}\n    >>\n----\n\n{LINE}",
            states.join(",\n")
        )
    }

    fn constants_module(&self) -> String {
        if self.model_values.is_empty() && !self.has_lasso() {
            return String::new();
        }
        let spec = &self.outcome.spec;
        let mut names = self.model_values.clone();
        if self.has_lasso() {
            names.push("_TTraceLassoStart".to_owned());
            names.push("_TTraceLassoEnd".to_owned());
        }
        format!(
            "\n---- MODULE {spec}_TEConstants ----\nEXTENDS {spec}\n\nCONSTANTS {}\n\n{LINE}",
            names.join(", ")
        )
    }

    fn config(&self) -> String {
        let mut out = format!("\n---- CONFIG {} ----\n", self.name);
        let mut constants = self.outcome.constants.clone();
        constants.extend(self.model_values.iter().map(|it| format!("{it} = {it}")));
        if let Some(start) = self.loop_start() {
            constants.push(format!("_TTraceLassoStart = {start}"));
            constants.push(format!("_TTraceLassoEnd = {}", self.trace.steps.len()));
        }
        if !constants.is_empty() {
            out.push_str("CONSTANTS\n");
            for it in &constants {
                let _ = writeln!(out, "    {it}");
            }
            out.push('\n');
        }
        if self.trace.lasso.is_some() {
            out.push_str("PROPERTY\n    _prop\n\n");
        } else {
            out.push_str("INVARIANT\n    _inv\n\n");
        }
        out.push_str("CHECK_DEADLOCK\n    FALSE\n\nINIT\n    _init\n\nNEXT\n    _next\n\n");
        if self.has_lasso() {
            out.push_str("VIEW\n    _view\n\n");
        }
        out.push_str("CONSTANT\n    _TETrace <- _trace\n\nALIAS\n    _expression\n");
        out.push_str(LINE);
        out
    }
}

const LINE: &str =
    "=============================================================================\n";

fn conjunction(state: &[Binding], indent: usize) -> String {
    let pad = " ".repeat(indent);
    let parts: Vec<String> =
        state.iter().map(|it| format!("{pad}{} = ({})\n", it.name, it.text)).collect();
    parts.join(&format!("{pad}/\\\n"))
}
