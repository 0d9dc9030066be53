---- MODULE Grid ----
\* Functions of two arguments, function sets, EXCEPT with paths, DOMAIN.
EXTENDS Integers
CONSTANT N
VARIABLES grid, log
Cells == (1..N) \X (1..N)
Init == grid \in [Cells -> {0}] /\ log = [last |-> <<0, 0>>, count |-> 0]
Toggle(x, y) == /\ grid' = [grid EXCEPT ![x, y] = 1 - @]
                /\ log' = [log EXCEPT !.last = <<x, y>>, !.count = (@ + 1) % 3]
Next == \E x, y \in 1..N : Toggle(x, y)
TypeOK == grid \in [Cells -> 0..1] /\ DOMAIN grid = Cells /\ log.last \in Cells \cup {<<0, 0>>}
====
