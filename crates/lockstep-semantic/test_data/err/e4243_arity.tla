---- MODULE Test ----
---- MODULE Inner ----
CONSTANT G(_)
====
H(a, b) == a
I == INSTANCE Inner WITH G <- H
J == INSTANCE Inner WITH G <- LAMBDA a, b : a
K == INSTANCE Inner WITH G <- 1
====
