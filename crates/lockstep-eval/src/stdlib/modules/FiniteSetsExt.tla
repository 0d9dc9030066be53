--------------------------- MODULE FiniteSetsExt ----------------------------
\* Operators on finite sets: folds, counting, subsets of a size, extrema.
EXTENDS Integers, FiniteSets, Folds, Functions

FoldSet(op(_, _), base, set) ==
  MapThenFoldSet(op, base, LAMBDA x : x, LAMBDA S : CHOOSE x \in S : TRUE, set)
SumSet(set) == FoldSet(LAMBDA x, y : x + y, 0, set)
ProductSet(set) == FoldSet(LAMBDA x, y : x * y, 1, set)
ReduceSet(op(_, _), set, acc) == FoldSet(op, acc, set)
MapThenSumSet(op(_), set) ==
  MapThenFoldSet(LAMBDA x, y : x + y, 0, op, LAMBDA S : CHOOSE x \in S : TRUE, set)
FlattenSet(S) == UNION S
SymDiff(A, B) == {x \in A \cup B : (x \in A) # (x \in B)}
Quantify(S, P(_)) == Cardinality({x \in S : P(x)})
kSubset(k, S) == {T \in SUBSET S : Cardinality(T) = k}
Max(S) == CHOOSE m \in S : \A x \in S : x <= m
Min(S) == CHOOSE m \in S : \A x \in S : m <= x
Choices(Sets) ==
  {Range(f) : f \in {g \in [Sets -> UNION Sets] : \A S \in Sets : g[S] \in S}}
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => (y = x)
=============================================================================
