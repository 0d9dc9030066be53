---- MODULE Inner ----
EXTENDS Naturals
CONSTANT Limit
ASSUME Limit \in Nat
LOCAL Hidden(x) == x % Limit
Wrap(x) == Hidden(x + 1)
---- MODULE Deep ----
Twice(x) == Wrap(Wrap(x))
====
D == INSTANCE Deep
====
