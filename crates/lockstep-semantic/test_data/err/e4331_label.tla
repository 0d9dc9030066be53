---- MODULE Test ----
A == \A i \in {1}, j \in {2} : lab(i) :: i = j
====
