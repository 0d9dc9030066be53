---- MODULE Gate ----
EXTENDS Naturals
VARIABLE count
Open(n) == n < 3
Init == count = 0
Next == Open(count) /\ count' = count + 1
====
