---- MODULE Test ----
F(a) == LET a == 1 IN a
====
