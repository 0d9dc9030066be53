---- MODULE Test ----
VARIABLE x
Spec == x = 0 /\ x' = 1 /\ []x
A ==
  \/ x' = 1
  \/ <>x
B == x' = 1 => []x
====
