---- MODULE Test ----
RECURSIVE F(_)
F(a) == a'
====
