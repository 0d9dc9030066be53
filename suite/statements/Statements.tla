---- MODULE Statements ----
\* What the statements of a configuration may name, and states that cannot be kept.
EXTENDS Naturals, TLC
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x < 3 /\ x' = x + 1 /\ y' = x
Spec == Init /\ [][Next]_<<x, y>>
Named == x
Never == 1 = 2
Always == 1 = 1
Half == x = 0
HalfNext == x < 3 /\ x' = x + 1 /\ (x < 2 => y' = 0)
Endless == x' = x + 1 /\ y' = IF x = 2 THEN {Nat} ELSE {x}
EndlessInit == x = 0 /\ y = [n \in Nat |-> n]
Mixed == x = 0 /\ y = {1, "a"}
Unordered == x = 2 => x
Shown == PrintT({n \in {1} : n = {n}})
====
