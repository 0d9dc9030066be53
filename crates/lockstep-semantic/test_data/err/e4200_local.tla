---- MODULE Test ----
---- MODULE Inner ----
LOCAL Secret == 0
====
INSTANCE Inner
Op == Secret
====
