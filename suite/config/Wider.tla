---- MODULE Wider ----
\* What is replaced is the name that this module sees, not the copies that instances make.
EXTENDS Gate
G == INSTANCE Gate
WideOpen(n) == G!Open(n) \/ n < 5
Low == count < 6
====
