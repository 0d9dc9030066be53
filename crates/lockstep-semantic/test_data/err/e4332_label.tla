---- MODULE Test ----
F(p) == \A i \in {1} : lab(i, p) :: i = p
====
