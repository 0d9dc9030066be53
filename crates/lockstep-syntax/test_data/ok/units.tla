----MODULE units----
CONSTANT c
VARIABLE v
ASSUME c \in Nat
ASSUMPTION Named == c > 0
AXIOM c = c
LOCAL d == 1
LOCAL INSTANCE M
LOCAL N(p) == INSTANCE M WITH q <- p
INSTANCE M WITH A <- /\ 1,
                B <- \/ 2, \cup <- Union
RECURSIVE r, s(_, _)
~p == 1
p ^+ == 2
p \X q == 3
p = q == 4
-. p == 5
f[p \in S] == f[p - 1]
--------------------
---- MODULE Inner ----
EXTENDS Naturals
==== 
USE c, MODULE M DEF d, MODULE N, +, -.
HIDE DEFS d
================
---- MODULE second ----
A == 1
====
