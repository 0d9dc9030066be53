---- MODULE dangling ----
VARIABLE x
Init == x =
Next == x' = x + 1
Sum == x +
---- MODULE Inner ----
====
a + b
x == == 1
====
