---- MODULE Test ----
A == <<1, 2>>
B == A!3
C == A!label
====
