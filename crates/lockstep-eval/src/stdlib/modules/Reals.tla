------------------------------- MODULE Reals --------------------------------
\* The real numbers. Names only: a checker with finite numbers cannot compute
\* with them.
EXTENDS Integers

Real == CHOOSE R : Int \subseteq R
a / b == CHOOSE q \in Real : a = q * b
Infinity == CHOOSE x : x \notin Real /\ \A r \in Real : r < x
=============================================================================
