---- MODULE Test ----
Foo == TRUE
CONSTANT c
A == [Foo |-> 42]
B == [Foo |-> c]
====
