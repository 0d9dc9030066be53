---- MODULE Test ----
---- MODULE Inner ----
CONSTANTS limit, other
====
limits == 1
I == INSTANCE Inner WITH other <- 1
====
