---- MODULE Test ----
---- MODULE Inner ----
TypeOK == TRUE
LOCAL Hidden == 1
CONSTANT c
====
I == INSTANCE Inner WITH c <- 1
A == I!TypeOk
B == I!Hidden
C == I!c
====
