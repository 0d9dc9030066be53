---- MODULE Renamed ----
\* A LET around the next value of a variable still names the variable.
EXTENDS Integers
VARIABLE side
Init == side = 0
Next == (LET other == side' IN other) = 1 - side
Sound == ENABLED ((LET other == side' IN other) \in {0, 1}) /\ ~ENABLED (side' = 0 /\ side' = 1)
====
