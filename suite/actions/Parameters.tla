---- MODULE Parameters ----
\* Assignments through operator parameters, LET names, nested UNCHANGED and quantifiers.
EXTENDS Naturals
CONSTANT N
VARIABLES a, b, c
vars == <<a, <<b, c>>>>
rest == <<b, c>>

Assign(v, e) == v = e
Within(v, S) == v \in S
Init == /\ a \in [1..N -> {0, 1}]
        /\ Within(b, 0..1)
        /\ Assign(c, 0)

Flip(i) == /\ a' = [a EXCEPT ![i] = 1 - @]
           /\ UNCHANGED rest
Step == \E i \in 1..N : a[i] = 1 /\ Flip(i)
Move == LET next == (b + 1) % 2 IN Assign(b', next) /\ Within(c', {b, next}) /\ UNCHANGED a
Stay == UNCHANGED vars
Next == Step \/ Move \/ Stay
Spec == Init /\ [][Next]_vars
====
