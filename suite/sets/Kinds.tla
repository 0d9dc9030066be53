---- MODULE Kinds ----
\* What can be an element of which set: a value of another kind is an error, not FALSE.
EXTENDS Naturals, Sequences, FiniteSets, TLC, TLCExt, Bags
VARIABLE x
Init == x = 0
Next == UNCHANGED x
Fine ==
    /\ <<>> \notin [a : {1}] /\ <<1>> \notin {1} \X {1} /\ <<1, 1, 1>> \notin {1} \X {1}
    /\ ("a" :> 1) \in [a : {1}] /\ [a |-> 1, b |-> 2] \notin [a : {1}]
    /\ (1 :> 1 @@ 2 :> 1) \in {1} \X {1}
    /\ Nat \cup {} = Nat /\ {} \cup Nat = Nat /\ {x} \cup {} = {0}
    /\ ~IsFiniteSet(UNION {Nat}) /\ IsFiniteSet(UNION {{1}})
    /\ CopiesIn(1, (1 :> 0)) = 0
    /\ PrintT(("a b" :> 1)) /\ PrintT(("a" :> 1))
TupleInRecords == <<x>> \in [a : {0}]
FunctionInRecords == (2 :> x) \in [a : {0}]
RecordInProduct == [a |-> x] \in {0} \X {0}
FunctionInSequences == (2 :> x) \in Seq({0})
ModelValueInSubset == TLCModelValue("m") \in SUBSET {x}
FilterIsFinite == IsFiniteSet({n \in Nat : n < x + 2})
NoBag == BagCardinality(1 :> x) = 0
====
