---- MODULE Test ----
A == (lab :: TRUE) /\ (lab :: FALSE)
====
