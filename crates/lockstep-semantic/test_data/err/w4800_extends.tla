---- MODULE Test ----
EXTENDS One, Two
A == F
====
---- MODULE One ----
F == 1
====
---- MODULE Two ----
F == 2
====
