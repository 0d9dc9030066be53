---- MODULE Test ----
VARIABLE x
A == {[]x}
B == [f |-> x] = <>x
====
