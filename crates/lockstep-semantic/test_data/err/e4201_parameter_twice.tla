---- MODULE Test ----
F(a, a) == a
====
