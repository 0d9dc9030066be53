//! The built binary, run as a user runs it: arguments in, exit status and output out.

mod bad_input;
mod check;
mod checkpoint;
mod community;
mod coverage;
mod errors;
mod eval;
mod faults;
mod interrupt;
mod parse;
mod pcal;
mod run;
mod tlc;
