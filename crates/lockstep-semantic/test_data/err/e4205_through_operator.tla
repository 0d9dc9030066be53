---- MODULE Test ----
VARIABLE x
NextOf(v) == v'
A == NextOf(x')
====
