---- MODULE Hub ----
EXTENDS Naturals
VARIABLE seat
Nobody == CHOOSE v : v \notin Nat
Vacant == seat = Nobody
Take == Vacant /\ seat' \in 1..2
====
