---- MODULE Test ----
VARIABLE x
A == \A i \in x' : []i
====
