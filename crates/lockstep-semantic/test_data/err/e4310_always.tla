---- MODULE Test ----
VARIABLE x
A == [](x' = x)
B == [][x' = x]_x
====
