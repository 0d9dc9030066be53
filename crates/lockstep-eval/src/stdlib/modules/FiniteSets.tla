----------------------------- MODULE FiniteSets -----------------------------
\* Finiteness and size of sets. Evaluated natively.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

IsFiniteSet(S) == \E s \in Seq(S) : \A x \in S : \E i \in 1 .. Len(s) : x = s[i]
Cardinality(S) ==
  LET size[T \in SUBSET S] ==
        IF T = {} THEN 0 ELSE 1 + size[T \ {CHOOSE x \in T : TRUE}]
  IN  size[S]
=============================================================================
