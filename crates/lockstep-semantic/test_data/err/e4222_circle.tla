---- MODULE Test ----
EXTENDS Round
====
---- MODULE Round ----
EXTENDS Test
====
