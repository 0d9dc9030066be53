---- MODULE set_forms ----
A == {x \in S, y \in T : p}
B == {x \in S : p
C == [x \in S : p]
D == [f EXCEPT [1] = 2]
E == [f EXCEPT ![1] = 2, [2] = 3]
F == <<1, 2}
G == [A]
H == [x, y \in S -> T]
====
