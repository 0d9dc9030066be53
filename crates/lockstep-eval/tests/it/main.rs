//! Tests of lowering and evaluation through the public interface: TLA+ text in, values, steps and
//! errors out.
//!
//! Most are tables: a line holds an expression, `=>` and its value as TLC prints it, or `!!` and
//! words of the error. Every line is evaluated as the checker does and as it is written, without
//! anything moved out of loops.

mod actions;
mod definitions;
mod errors;
mod functions;
mod laziness;
mod nodes;
mod numbers;
mod sequences;
mod sets;
mod spec;
mod tiers;
