---- MODULE Test ----
I == INSTANCE Naturals
A == I
====
