//! Worker pool, fences, range stealing, safepoints and the growable fingerprint table.
