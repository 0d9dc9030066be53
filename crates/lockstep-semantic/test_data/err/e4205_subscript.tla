---- MODULE Test ----
VARIABLE x
A == [x = 1]_(x')
B == WF_x([]x)
====
