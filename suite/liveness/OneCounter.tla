---- MODULE OneCounter ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 2 /\ n' = n + 1
Down == n = 2 /\ n' = 0
Spec == Init /\ [][Up \/ Down]_n /\ WF_n(Up)
====
