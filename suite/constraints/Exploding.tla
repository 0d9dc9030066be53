---- MODULE Exploding ----
\* Each state is far larger than the one before: no state beyond the constraint can be expanded.
EXTENDS FiniteSets, Naturals
VARIABLE s
Init == s = {}
Next == s' = SUBSET s
Small == Cardinality(s) < 10
Sized == Cardinality(s) \in {0, 1, 2, 4, 16}
====
