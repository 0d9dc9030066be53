---- MODULE lexical ----
A == "not closed
B == "bad \d escape"
C == a ; b
D == x ? y
E == “quoted”
F == x != y
G == 3 <4> 5
====
