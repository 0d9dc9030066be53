---- MODULE Test ----
F == \A i \in {1} : \E i \in {2} : TRUE
====
