---- MODULE Seated ----
\* `name = [M]value` is about M's definition, through whatever instance it is seen.
VARIABLE seat
H == INSTANCE Hub
Init == seat = H!Nobody
Next == H!Take \/ (~H!Vacant /\ seat' = H!Nobody)
Kinds == H!Vacant \/ seat \in {1, 2}
====
