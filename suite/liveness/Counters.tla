---- MODULE Counters ----
\* Quantified fairness, leads-to under a quantifier, and refinement with fairness.
EXTENDS Naturals
CONSTANT N
VARIABLE count
Init == count = [i \in 1..N |-> 0]
Step(i) == count[i] < 2 /\ count' = [count EXCEPT ![i] = @ + 1]
Reset(i) == count[i] = 2 /\ count' = [count EXCEPT ![i] = 0]
Next == \E i \in 1..N : Step(i) \/ Reset(i)
Fair == \A i \in 1..N : WF_count(Step(i))
FairAll == WF_count(Next)
Spec == Init /\ [][Next]_count /\ Fair
SpecAll == Init /\ [][Next]_count /\ FairAll
Reaches == \A i \in 1..N : count[i] = 0 ~> count[i] = 2
Cycles == \A i \in 1..N : []<>(count[i] = 2)
Abstract == INSTANCE OneCounter WITH n <- count[1]
Refines == Abstract!Spec
====
