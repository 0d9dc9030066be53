---- MODULE Test ----
A == \A i \in {1} : lab(i, i) :: i = 1
====
