---- MODULE open_comment ----
A == 1
(* a comment (* with one inside *) that goes on
B == 2
====
