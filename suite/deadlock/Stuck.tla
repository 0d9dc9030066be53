---- MODULE Stuck ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Up == n < 3 /\ n' = n + 1
Next == Up
====
