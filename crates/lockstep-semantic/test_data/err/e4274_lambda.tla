---- MODULE Test ----
Twice(G(_), a) == G(G(a))
A == Twice(LAMBDA a, b : a, 2)
====
