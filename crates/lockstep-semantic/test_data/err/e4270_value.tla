---- MODULE Test ----
Twice(G(_), a) == G(G(a))
A == Twice(1, 2)
====
