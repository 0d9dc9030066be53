---- MODULE missing_end_nested ----
---- MODULE Inner ----
A == 1
====
B == 2
