---- MODULE crlf ----
A == (1
B == 2
====
