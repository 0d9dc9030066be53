---- MODULE Test ----
---- MODULE Inner ----
CONSTANT c
F == c
====
I(c) == INSTANCE Inner
A == I!F
B == I(1, 2)!F
====
