---- MODULE Test ----
THEOREM TRUE
<*>a. QED
====
