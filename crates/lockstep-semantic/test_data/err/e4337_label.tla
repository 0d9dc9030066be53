---- MODULE Test ----
A == \A i \in {1} : lab(i) :: i = 1
B == A!lab(1, 2)
====
