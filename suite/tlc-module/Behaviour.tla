---- MODULE Behaviour ----
\* The behaviour up to a state, which does not depend on the number of workers.
EXTENDS Naturals, Sequences, TLCExt
VARIABLES x, y
Init == x = 0 /\ y \in 0..1
Next ==
    /\ x < 4
    /\ \E d \in 1..2 : x' = x + d
    /\ y' = 1 - y
UpToHere ==
    /\ Trace[Len(Trace)] = [x |-> x, y |-> y]
    /\ Trace[1].x = 0
    /\ \A n \in 2..Len(Trace) : Trace[n].x - Trace[n - 1].x \in 1..2
    /\ Len(Trace) <= 1 + x
NoDetour == Len(Trace) < 4
Alias == [x |-> x, length |-> Len(Trace), before |-> Trace]
====
