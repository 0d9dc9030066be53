---- MODULE Test ----
RECURSIVE F(_), G
G == 1
====
