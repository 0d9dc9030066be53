---- MODULE Test ----
F(s) == Append(s, 1)
====
