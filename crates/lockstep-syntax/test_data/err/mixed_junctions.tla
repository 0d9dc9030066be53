---- MODULE mixed_junctions ----
A == a /\ b \/ c
B == \/ a
     \/ b /\ c \/ d
C == a => b => c
D == a = b = c
E == a + b - c * d % e
F == []x = 1
G == []x'
H == -x ^ 2 \cup s
====
