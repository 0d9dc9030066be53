-------------------------- MODULE DyadicRationals ---------------------------
\* Fractions whose denominator is a power of two: records [num, den].
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Fraction(n, d) == [num |-> n, den |-> d]
RECURSIVE Shorten(_)
LOCAL Shorten(p) ==
  IF p.num % 2 = 0 /\ p.den % 2 = 0
  THEN Shorten(Fraction(p.num \div 2, p.den \div 2))
  ELSE p

IsDyadicRational(r) == \E i \in 0 .. r.den : 2 ^ i = r.den
Zero == Fraction(0, 1)
One == Fraction(1, 1)
Add(p, q) ==
  IF p = Zero THEN q
  ELSE LET d == IF p.den > q.den THEN p.den ELSE q.den
       IN  Shorten(Fraction((p.num * (d \div p.den)) + (q.num * (d \div q.den)), d))
Half(p) == Shorten(Fraction(p.num, 2 * p.den))
PrettyPrint(p) ==
  IF p = Zero THEN "0"
  ELSE IF p = One THEN "1"
  ELSE ToString(p.num) \o "/" \o ToString(p.den)
=============================================================================
