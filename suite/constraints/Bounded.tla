---- MODULE Bounded ----
\* States outside the constraint are generated and tested, but not distinct and not explored.
EXTENDS Integers
VARIABLES x, y
Init == x = 0 /\ y \in 0..2
Next == \/ x' = x + 1 /\ y' = y
        \/ x' = x - 1 /\ y' = y
        \/ y' = y + x /\ x' = x
InBox == x \in -3..3 /\ y \in -4..4
NoBigStep == y' - y < 3
Small == x # 4
Tiny == x # 2
====
