---- MODULE Test ----
---- MODULE Inner ----
CONSTANT cap
F == cap
====
I == INSTANCE Inner WITH cpa <- 1, F <- 2, cap <- 3
====
