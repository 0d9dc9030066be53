--------------------------- MODULE Combinatorics ----------------------------
\* Factorials and binomial coefficients.
EXTENDS Naturals

factorial[n \in Nat] == IF n < 2 THEN 1 ELSE n * factorial[n - 1]
\* Step by step, so that no number on the way is much larger than the result.
choose(n, k) ==
  LET below[i \in Nat] == IF i = 0 THEN 1 ELSE (below[i - 1] * (n - i + 1)) \div i
      least == IF k > n - k THEN n - k ELSE k
  IN IF k > n THEN 0 ELSE below[least]
=============================================================================
