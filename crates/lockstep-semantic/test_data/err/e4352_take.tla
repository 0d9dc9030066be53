---- MODULE Test ----
VARIABLE x
THEOREM []x
<1> TAKE i \in x
<1> HAVE x
<1> WITNESS x
<1> QED
====
