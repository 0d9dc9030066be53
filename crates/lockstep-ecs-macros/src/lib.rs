//! Derive macros of lockstep-ecs.
