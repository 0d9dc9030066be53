---- MODULE Test ----
VARIABLE x
ASSUME x = 1
====
