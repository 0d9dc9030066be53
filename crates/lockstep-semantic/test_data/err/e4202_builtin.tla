---- MODULE Test ----
TRUE == 1 = 1
F(BOOLEAN) == 1
====
