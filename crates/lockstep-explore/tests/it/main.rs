//! The explorer as a user sees it: verdicts, counts, traces, and that the number of workers never shows.

mod determinism;
mod faults;
mod systems;
mod verdicts;
mod walks;
