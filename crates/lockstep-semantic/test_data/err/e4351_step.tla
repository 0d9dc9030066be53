---- MODULE Test ----
F(a) == a
THEOREM TRUE
<1>1. HAVE TRUE
<1>2. F(<1>1)
<1>3. QED
====
