------------------------------ MODULE Bitwise -------------------------------
\* Operators on the bits of natural numbers.
LOCAL INSTANCE Integers

LOCAL Bit(x, n) == (x \div (2 ^ n)) % 2
RECURSIVE Collect(_, _, _, _)
LOCAL Collect(Op(_, _), x, y, n) ==
  IF n = 31 \/ (x < 2 ^ n /\ y < 2 ^ n) THEN 0
  ELSE (Op(Bit(x, n), Bit(y, n)) * 2 ^ n) + Collect(Op, x, y, n + 1)

x & y == Collect(LAMBDA a, b : a * b, x, y, 0)
x | y == Collect(LAMBDA a, b : IF a + b > 0 THEN 1 ELSE 0, x, y, 0)
x ^^ y == Collect(LAMBDA a, b : (a + b) % 2, x, y, 0)
Not(a) == Collect(LAMBDA p, q : 1 - p, a, a, 0)
shiftR(n, pos) == n \div (2 ^ pos)
=============================================================================
