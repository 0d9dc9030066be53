---- MODULE Test ----
RECURSIVE F(_), g(_)
F(a, b) == a
g[x \in {}] == x
====
