---- MODULE Sequences ----
LOCAL INSTANCE Naturals
Seq(S) == UNION {[1..n -> S] : n \in Nat}
Len(s) == CHOOSE n \in Nat : DOMAIN s = 1..n
Append(s, e) == [i \in 1..(Len(s) + 1) |-> IF i \leq Len(s) THEN s[i] ELSE e]
====
