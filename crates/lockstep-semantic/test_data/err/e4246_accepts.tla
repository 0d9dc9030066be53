---- MODULE Test ----
---- MODULE Inner ----
CONSTANT G(_)
F == G(0')
====
I == INSTANCE Inner WITH G <- '
====
