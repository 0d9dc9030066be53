---- MODULE Jugs ----
\* Two jugs of 3 and 5 litres: measuring exactly 4 is reachable, so NotFour is violated.
EXTENDS Integers
VARIABLES small, big

Min(a, b) == IF a < b THEN a ELSE b

Init == small = 0 /\ big = 0

FillSmall == small' = 3 /\ UNCHANGED big
FillBig == big' = 5 /\ UNCHANGED small
EmptySmall == small' = 0 /\ UNCHANGED big
EmptyBig == big' = 0 /\ UNCHANGED small
SmallToBig == LET poured == Min(small, 5 - big)
              IN small' = small - poured /\ big' = big + poured
BigToSmall == LET poured == Min(big, 3 - small)
              IN big' = big - poured /\ small' = small + poured

Next == \/ FillSmall \/ FillBig
        \/ EmptySmall \/ EmptyBig
        \/ SmallToBig \/ BigToSmall

Spec == Init /\ [][Next]_<<small, big>>

TypeOK == small \in 0..3 /\ big \in 0..5
NotFour == big # 4
====
