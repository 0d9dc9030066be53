---- MODULE Test ----
---- MODULE Inner ----
F(a) == a
====
F == 1
INSTANCE Inner
====
