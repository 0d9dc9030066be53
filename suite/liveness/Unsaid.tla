---- MODULE Unsaid ----
\* The action of a fairness condition says nothing of a variable of its subscript.
EXTENDS Naturals
VARIABLES a, b
Init == a = 0 /\ b = 0
Count == a < 5 /\ a' = a + 1
Next == Count /\ UNCHANGED b
Spec == Init /\ [][Next]_<<a, b>> /\ WF_<<a, b>>(Count)
Ends == <>(a = 5)
====
