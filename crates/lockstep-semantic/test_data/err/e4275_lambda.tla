---- MODULE Test ----
F(a) == a
A == F(LAMBDA b : b)
====
