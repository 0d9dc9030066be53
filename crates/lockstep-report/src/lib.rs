//! Verdicts and traces as text, TLC text, JSON and other formats.
