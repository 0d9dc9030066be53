---- MODULE Kept ----
\* What TLCCache keeps is computed once in a run, assumptions included.
EXTENDS Naturals, TLC, TLCExt
VARIABLE x
ASSUME TLCSet(7, 0)
Counting(v) == IF TLCSet(7, TLCGet(7) + 1) THEN v ELSE {}
Small == TLCCache(Counting({n \in 1..6 : n < 4}), "small")
Doubled == TLCCache(Counting({n \in 1..6 : n \div 2 \in Small}), "doubled")
ASSUME 3 \in Small
ASSUME 7 \notin Doubled
Init == x \in Small
Next == x \in Doubled /\ x' \in Small
Once == TLCGet(7) = 2
====
