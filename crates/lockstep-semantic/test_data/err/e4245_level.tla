---- MODULE Test ----
---- MODULE Inner ----
CONSTANT c
VARIABLE v
====
VARIABLE x
I == INSTANCE Inner WITH c <- x, v <- x
J == INSTANCE Inner WITH c <- 1, v <- x'
====
