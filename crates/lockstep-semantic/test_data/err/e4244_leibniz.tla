---- MODULE Test ----
---- MODULE Inner ----
CONSTANT G(_)
====
H(a) == a'
I == INSTANCE Inner WITH G <- H
====
