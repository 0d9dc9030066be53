---- MODULE Test ----
Twice(G(_), a) == G(G(a))
H(a, b) == a
A == Twice(H, 2)
====
