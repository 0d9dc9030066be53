---- MODULE Test ----
A == TRUE
HIDE A
====
