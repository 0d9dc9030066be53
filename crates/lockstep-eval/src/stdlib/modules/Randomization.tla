--------------------------- MODULE Randomization ----------------------------
\* Random subsets. Evaluated natively, repeatably for the same state.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

RandomSubset(k, S) == CHOOSE T \in SUBSET S : Cardinality(T) = k
RandomSetOfSubsets(k, n, S) ==
  CHOOSE T \in SUBSET SUBSET S : Cardinality(T) <= k
TestRandomSetOfSubsets(k, n, S) ==
  CHOOSE s : s \in [1 .. 5 -> Nat]
=============================================================================
