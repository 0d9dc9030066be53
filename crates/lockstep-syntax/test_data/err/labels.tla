---- MODULE labels ----
A == M!lab :: x
B == \A x \in S : lab(x, 1) :: x
C == a * lab :: b + c
D == lab :: ASSUME p PROVE q
====
