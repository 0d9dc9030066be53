---- MODULE Counted ----
\* Registers belong to a worker; the sum over all workers does not depend on their number.
EXTENDS Naturals, Sequences, TLC
VARIABLES x, y
ASSUME TLCSet(1, 0) /\ TLCSet("s:odd", 0)
Init == x = 0 /\ y \in 0..1
Count(reg) == TLCSet(reg, TLCGet(reg) + 1)
Next ==
    /\ x < 4
    /\ Count(1)
    /\ \E d \in 1..2 : x' = x + d
    /\ y' = 1 - y
Odd == (y = 1) => Count("s:odd")
Sum(seq) ==
    LET S[n \in 0..Len(seq)] == IF n = 0 THEN 0 ELSE S[n - 1] + seq[n] IN S[Len(seq)]
Post ==
    LET all == TLCGet("all") named == TLCGet("all:named") IN
    /\ DOMAIN all = {1}
    /\ Len(all[1]) = TLCGet("config").worker
    /\ Sum(all[1]) = TLCGet("distinct") - 4
    /\ DOMAIN named = {"s:odd"}
    /\ Sum(named["s:odd"]) = 9
====
