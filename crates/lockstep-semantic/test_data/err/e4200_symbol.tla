---- MODULE Test ----
VARIABLE x
Next == x' = x + 1
====
