---- MODULE Mutex ----
\* Peterson's algorithm for two processes; Naive leaves the turn out and is wrong.
EXTENDS Integers
VARIABLES pc, flag, turn
vars == <<pc, flag, turn>>
P == {0, 1}
Init == pc = [p \in P |-> "idle"] /\ flag = [p \in P |-> FALSE] /\ turn \in P
Raise(p) == pc[p] = "idle" /\ pc' = [pc EXCEPT ![p] = "raised"]
            /\ flag' = [flag EXCEPT ![p] = TRUE] /\ UNCHANGED turn
Yield(p) == pc[p] = "raised" /\ pc' = [pc EXCEPT ![p] = "wait"] /\ turn' = 1 - p /\ UNCHANGED flag
Enter(p) == pc[p] = "wait" /\ (~flag[1 - p] \/ turn = p)
            /\ pc' = [pc EXCEPT ![p] = "cs"] /\ UNCHANGED <<flag, turn>>
Rush(p) == pc[p] = "wait" /\ pc' = [pc EXCEPT ![p] = "cs"] /\ UNCHANGED <<flag, turn>>
Leave(p) == pc[p] = "cs" /\ pc' = [pc EXCEPT ![p] = "idle"]
            /\ flag' = [flag EXCEPT ![p] = FALSE] /\ UNCHANGED turn
Step(p) == Raise(p) \/ Yield(p) \/ Enter(p) \/ Leave(p)
Next == \E p \in P : Step(p)
Naive == \E p \in P : Step(p) \/ Rush(p)
Exclusion == ~(pc[0] = "cs" /\ pc[1] = "cs")
====
