//! What a search does besides computing: registers and files, and the behaviour so far.
//!
//! Registers belong to a worker, and which worker evaluates what is a matter of timing; so is the
//! order in which several write to one file. Invariant: a search whose specification could see
//! either has one worker, so that the number asked for never shows.

use std::ops::ControlFlow;

use lockstep_eval::ir::{Node, Part, Program, visit_below_all};
use lockstep_eval::stdlib::Native;

/// What the parts of a program that are evaluated during a search do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Uses {
    /// They set registers, or write files, or run processes.
    pub(crate) leaves: bool,
    /// They ask for the behaviour up to the present state.
    pub(crate) trace: bool,
}

impl Uses {
    /// Of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let properties = [
            &program.invariants,
            &program.initial_properties,
            &program.action_properties,
            &program.constraints,
            &program.action_constraints,
        ];
        let roots = (program.init.iter().chain(&program.actions))
            .map(|it| Part::Act(it.body))
            .chain(properties.into_iter().flatten().map(|it| Part::Node(it.entry.node)))
            .chain(program.possible.iter().map(|it| Part::Node(it.0.entry.node)))
            .chain(program.view.iter().map(|it| Part::Node(it.entry.node)));
        let mut uses = Uses::default();
        let _ = visit_below_all(program, roots, &mut |part| {
            if let Part::Node(id) = part
                && let Node::Native { native, .. } | Node::NativeSpecial { native, .. } =
                    program.node(id)
            {
                uses.note(native);
            }
            ControlFlow::Continue(())
        });
        uses
    }

    fn note(&mut self, native: &Native) {
        match (native.module, native.name) {
            ("TLC", "TLCSet") | ("TLCExt", "TLCGetAndSet") => self.leaves = true,
            ("TLCExt", "Trace") => self.trace = true,
            ("CSV" | "IOUtils" | "Json" | "SVG", _) if native.changes_the_outside() => {
                self.leaves = true;
            }
            _ => {}
        }
    }

    /// Whether one worker has to do it all.
    pub(crate) fn one_worker(self) -> bool {
        self.leaves || self.trace
    }
}
