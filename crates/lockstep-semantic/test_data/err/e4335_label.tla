---- MODULE Test ----
f[x \in {}] == x
A == [f EXCEPT ![1] = lab :: 2]
====
