---- MODULE Integers ----
EXTENDS Naturals
Int == CHOOSE S : Nat \subseteq S
-. a == 0 - a
====
