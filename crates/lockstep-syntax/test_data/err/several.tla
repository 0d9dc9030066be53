---- MODULE several ----
EXTENDS Naturals
VARIABLES x y
A == (1 + 
B == {1, 2
C == [a |-> 1, b -> 2]
D == IF x THEN 1
E == CHOOSE x \in S p
F == \A x \in S, y : p
G == \E <<>> \in S : p
Last == TRUE
====
