---- MODULE Test ----
VARIABLE x
A == \E i \in []x : TRUE
B == {i \in <>x : TRUE}
====
