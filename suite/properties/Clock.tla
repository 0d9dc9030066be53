---- MODULE Clock ----
\* The abstract clock that Hours refines.
VARIABLE hour
Init == hour \in {0, 1, 2, 3}
Next == hour' = CASE hour = 0 -> 1 [] hour = 1 -> 2 [] hour = 2 -> 3 [] OTHER -> 0
Spec == Init /\ [][Next]_hour
====
