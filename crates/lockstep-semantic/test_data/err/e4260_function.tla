---- MODULE Test ----
f[a \in {1}, b \in {2}] == a
A == f[1, 2, 3]
====
