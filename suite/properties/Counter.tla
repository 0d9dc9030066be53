---- MODULE Counter ----
EXTENDS Naturals
VARIABLES n, up
vars == <<n, up>>
Init == n = 0 /\ up = TRUE
Rise == up /\ n < 4 /\ n' = n + 1 /\ up' = (n' < 4)
Fall == ~up /\ n' = n - 1 /\ up' = (n' = 0)
Next == Rise \/ Fall
Spec == Init /\ [][Next]_vars
InRange == n \in 0..4
ByOne == [][n' = n + 1 \/ n + 1 = n']_n
Slowly == [][n' - n \in {1} \/ n - n' \in {1}]_vars
AlwaysInRange == []InRange
AtFirst == n = 0
====
