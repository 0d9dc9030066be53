//! Running actions: the states that an action makes possible, in TLC's order.

mod run;

pub(crate) use run::Continuation;
