---- MODULE Test ----
THEOREM T == TRUE
<1>1. DEFINE d == 1
<1>2. d = 1 BY <1>3 DEF nothing
<1>3. QED
====
