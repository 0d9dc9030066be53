---- MODULE Test ----
---- MODULE Inner ----
F == 2
====
F == 1
INSTANCE Inner
====
