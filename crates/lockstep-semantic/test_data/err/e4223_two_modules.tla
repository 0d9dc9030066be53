---- MODULE Test ----
EXTENDS Naturals
---- MODULE Naturals ----
====
====
