---- MODULE Test ----
Max == 1
Max == 2
====
