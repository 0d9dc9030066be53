---- MODULE Broken ----
EXTENDS Integers
ASSUME Right == 1 + 1 = 2
ASSUME Wrong == 1 + 1 = 3
====
