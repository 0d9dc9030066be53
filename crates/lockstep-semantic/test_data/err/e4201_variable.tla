---- MODULE Test ----
VARIABLE x
F(x) == x
====
