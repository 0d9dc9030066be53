---- MODULE Test ----
EXTENDS One, Two
====
---- MODULE One ----
F == 1
====
---- MODULE Two ----
CONSTANT F
====
