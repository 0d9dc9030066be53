---- MODULE Test ----
VARIABLE x
THEOREM []x
<1> CASE x
<1> QED
====
