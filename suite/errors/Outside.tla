---- MODULE Outside ----
EXTENDS Naturals
VARIABLE n
f == <<10, 20, 30>>
Init == n = 1
Next == n' = n + (f[n] \div 10)
Fine == n >= 0
Off == f[n] > 0
====
