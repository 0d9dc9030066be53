---- MODULE Test ----
CONSTANT G(_)
A == G
====
