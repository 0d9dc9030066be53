---- MODULE Test ----
ASSUME lab :: TRUE
====
