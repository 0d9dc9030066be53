---- MODULE misplaced ----
A == x |-> 1
B == (x == 1)
C == WF_v(A, B)
D == 1.2.3
E == A!
F == x.1
INSTANCE M WITH x = 1
CONSTANT F(x)
CONSTANT _ ~ _
USE DEF 1
====
