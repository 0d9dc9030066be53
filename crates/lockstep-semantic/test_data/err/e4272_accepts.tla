---- MODULE Test ----
VARIABLE v
OnNext(G(_)) == G(v')
A == OnNext(')
====
