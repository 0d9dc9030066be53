---- MODULE Symbols ----
\* User-defined symbols, higher-order operators, LAMBDA, labels and subexpression names.
EXTENDS Naturals, Sequences
VARIABLE s
a \prec b == a < b
a ++ b == (a + b) % 7
a ^# == a * a
Twice(F(_), x) == F(F(x))
Fold(_ ** _, x, y) == x ** y
Inc(x) == x ++ 1
Init == s = 0
Next == \/ s' = Twice(Inc, s)
        \/ s' = Twice(LAMBDA x : x ++ 2, s)
        \/ s' = Fold(++, s, 3)
        \/ s \prec 3 /\ s' = (s^#) % 7
Good == lab :: (s \prec 7 /\ s >= 0)
Same == Good!lab!1 /\ Good!lab!2 /\ Next!1 \in BOOLEAN
OK == Good!lab /\ Good!lab!1
====
