---- MODULE Test ----
VARIABLE v
Call(G(_), a) == G(a)
A == Call(', v')
====
