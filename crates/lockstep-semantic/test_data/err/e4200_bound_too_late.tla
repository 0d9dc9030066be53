---- MODULE Test ----
F == \E a \in {}, b \in {a} : TRUE
====
