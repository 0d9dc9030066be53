---- MODULE Test ----
F(a, b) == a
A == F(1)
B == F
C == F(1, 2, 3)
====
