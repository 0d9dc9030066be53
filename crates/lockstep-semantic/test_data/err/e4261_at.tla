---- MODULE Test ----
A == @ = 1
====
