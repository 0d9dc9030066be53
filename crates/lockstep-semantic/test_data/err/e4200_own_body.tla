---- MODULE Test ----
F == F
====
