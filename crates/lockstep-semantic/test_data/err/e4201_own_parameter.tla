---- MODULE Test ----
F(F) == 1
I(I) == INSTANCE Naturals
====
