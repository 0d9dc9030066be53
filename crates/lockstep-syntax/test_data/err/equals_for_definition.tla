---- MODULE equals_for_definition ----
VARIABLE x
Init = (x = 0)
Twice(a) = 2 * a
f[i \in 1..3] = i
Ok == TRUE
====
