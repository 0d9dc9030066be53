----------------------------- MODULE Sequences ------------------------------
\* Finite sequences: functions whose domain is 1..n. Evaluated natively.
LOCAL INSTANCE Naturals

Seq(S) == UNION {[1 .. n -> S] : n \in Nat}
Len(s) == CHOOSE n \in Nat : DOMAIN s = 1 .. n
s \o t ==
  [i \in 1 .. (Len(s) + Len(t)) |-> IF i > Len(s) THEN t[i - Len(s)] ELSE s[i]]
Append(s, e) == s \o <<e>>
Head(s) == s[1]
Tail(s) == [i \in 1 .. (Len(s) - 1) |-> s[1 + i]]
SubSeq(s, m, n) == [i \in 1 .. (n - m + 1) |-> s[m + i - 1]]
SelectSeq(s, Test(_)) ==
  LET pick[n \in 0 .. Len(s)] ==
        IF n = 0 THEN <<>>
        ELSE pick[n - 1] \o (IF Test(s[n]) THEN <<s[n]>> ELSE <<>>)
  IN  pick[Len(s)]
=============================================================================
