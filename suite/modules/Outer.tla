---- MODULE Outer ----
EXTENDS Inner
VARIABLE pos
Hidden == 99
Init == pos = 0
Next == pos' = Wrap(pos) \/ pos' = D!Twice(pos)
Known == pos < Limit /\ Hidden = 99
====
