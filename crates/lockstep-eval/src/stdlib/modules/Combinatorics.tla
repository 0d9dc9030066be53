--------------------------- MODULE Combinatorics ----------------------------
\* Factorials and binomial coefficients.
EXTENDS Naturals

factorial[n \in Nat] == IF n < 2 THEN 1 ELSE n * factorial[n - 1]
choose(n, k) == factorial[n] \div (factorial[n - k] * factorial[k])
=============================================================================
