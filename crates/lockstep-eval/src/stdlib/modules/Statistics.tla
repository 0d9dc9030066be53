----------------------------- MODULE Statistics -----------------------------
\* Tests of hypotheses on counts. Evaluated natively.
EXTENDS Naturals

ChiSquare(expected, actual, alpha) == TRUE
=============================================================================
