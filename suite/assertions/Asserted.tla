---- MODULE Asserted ----
EXTENDS Naturals, TLC
VARIABLE n
Init == n = 0
Next == n < 5 /\ n' = n + 1 /\ Assert(n' # 4, <<"n became", n'>>)
====
