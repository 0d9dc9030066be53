------------------------------ MODULE Integers ------------------------------
\* The integers: naturals and their negatives. Evaluated natively.
EXTENDS Naturals

Int == CHOOSE I : Nat \subseteq I
-. a == 0 - a
=============================================================================
