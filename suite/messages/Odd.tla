-------------------------------- MODULE Odd --------------------------------
\* Messages of a kind that no record literal names turn up late: their states do not fit the classes.
EXTENDS Naturals
VARIABLES msgs, step
Send(m) == msgs' = msgs \cup {m}
Init == msgs = {[kind |-> "a", n |-> 0]} /\ step = 0
Grow == /\ step < 8 /\ step' = step + 1
        /\ \E m \in msgs : m.kind = "a" /\ Send([m EXCEPT !.n = step + 1])
Other == /\ step < 8 /\ step' = step + 1 /\ Send([kind |-> "b", n |-> step])
Strange == /\ step > 6 /\ step < 8 /\ step' = step + 1
           /\ \E m \in msgs : m.kind = "b" /\ m.n < 3 /\ Send([m EXCEPT !.kind = "c"])
Shrink == /\ \E m \in msgs : m.kind = "c" /\ msgs' = msgs \ {m} /\ step < 8 /\ step' = step + 1
Next == Grow \/ Other \/ Strange \/ Shrink
Counts == \A m \in msgs : m.kind = "b" => m.n < 8
NoC == \A m \in msgs : m.kind = "c" => m.n # 2
====
