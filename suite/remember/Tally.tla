---- MODULE Tally ----
CONSTANT Voter
VARIABLE cast
Init == cast = [v \in Voter |-> {}]
Add(v) == \E c \in {"a", "b"} : cast' = [cast EXCEPT ![v] = @ \cup {c}]
Next == \E v \in Voter : Add(v)
Spec == Init /\ [][Next]_cast
====
