---- MODULE Channel ----
EXTENDS Naturals
CONSTANT Data, Merge(_, _)
VARIABLES value, full
Init == value \in Data /\ full = FALSE
Send(d) == ~full /\ value' = Merge(value, d) /\ full' = TRUE
Receive == full /\ full' = FALSE /\ UNCHANGED value
Next == (\E d \in Data : Send(d)) \/ Receive
Ready == ENABLED Receive
====
