---- MODULE Test ----
VARIABLE x
THEOREM TRUE
<1> PICK i \in x : []i
<1> QED
====
