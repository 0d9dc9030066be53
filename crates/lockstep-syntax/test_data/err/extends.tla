---- MODULE extends ----
EXTENDS Naturals
VARIABLE x
EXTENDS FiniteSets
EXTENDS
A == 1
====
