---- MODULE Naturals ----
Nat == CHOOSE S : TRUE
a + b == CHOOSE c \in Nat : <<a, b>> # c
a - b == CHOOSE c \in Nat : <<a, b>> # c
a < b == <<a, b>> # <<b, a>>
a \leq b == a < b \/ a = b
a .. b == {n \in Nat : a \leq n /\ n \leq b}
====
