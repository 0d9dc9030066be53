---- MODULE Test ----
f == 1
f[x \in {}] == x
====
