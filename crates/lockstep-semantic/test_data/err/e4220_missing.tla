---- MODULE Test ----
EXTENDS NoSuchModule
A == Something
====
