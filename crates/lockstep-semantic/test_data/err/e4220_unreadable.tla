---- MODULE Test ----
EXTENDS Unreadable
====
