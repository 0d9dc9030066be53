---- MODULE Branches ----
\* Each true disjunct of an action with an unassigned variable makes its own successor;
\* once all variables are assigned the rest is a plain test.
EXTENDS Integers
VARIABLES x, y

Init == x = 0 /\ y \in {0, 1}

Duplicating == (1 = 1 \/ 2 = 2) /\ x' = (x + 1) % 4 /\ y' = y
Testing == x' = (x + 2) % 4 /\ y' = 1 - y /\ (1 = 1 \/ 2 = 2)
Choosing == \E d \in {1, 2}, e \in {0, 1} : x' = (x + d) % 4 /\ y' = e
Subsets == LET s == {0, 1} IN \E t \in SUBSET s : t # {} /\ y' \in t /\ x' = x
Guarded == IF x > 2 THEN x' = 0 /\ UNCHANGED y ELSE y' = 0 /\ UNCHANGED <<x>>
Cased == CASE x = 0 -> x' = 3 /\ y' = y
           [] x = 1 -> y' \in {0, 1} /\ x' = x
           [] OTHER -> UNCHANGED <<x, y>>

Next == Duplicating \/ Testing \/ Choosing \/ Subsets \/ Guarded \/ Cased
====
