---- MODULE Test ----
VARIABLE x
A == x''
B == (x')'
====
