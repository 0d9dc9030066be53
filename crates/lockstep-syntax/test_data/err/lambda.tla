---- MODULE lambda ----
A == LAMBDA x : x
B == F(LAMBDA x : x)
C == F(+)
D == + 1
E == a + * b
F == G()
H == -. 1 + -.(1)
====
