---- MODULE Test ----
A == B
B == 1
====
