---- MODULE Test ----
VARIABLE v
---- MODULE Inner ----
CONSTANT G(_), c
F == G(c)
====
I == INSTANCE Inner WITH G <- ', c <- v'
====
