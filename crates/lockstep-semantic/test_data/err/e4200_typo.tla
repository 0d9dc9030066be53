---- MODULE Test ----
EXTENDS Naturals
VARIABLES count, limit
Next == count < limt
====
