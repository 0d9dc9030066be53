---- MODULE Test ----
A == [x |-> 1, y |-> 2, x |-> 3]
====
