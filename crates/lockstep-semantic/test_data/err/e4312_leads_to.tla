---- MODULE Test ----
VARIABLE x
A == (x' = 1) ~> (x = 2)
B == (x = 1) -+-> (x' = 1)
====
