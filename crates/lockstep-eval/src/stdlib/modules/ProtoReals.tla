----------------------------- MODULE ProtoReals -----------------------------
\* What the numbers of the other modules have in common: a complete ordered
\* field. For reading; nothing here is evaluated.
EXTENDS Peano

IsModelOfReals(R, Plus, Times, Leq) ==
  /\ Nat \subseteq R
  /\ Plus \in [R \X R -> R]
  /\ Times \in [R \X R -> R]
  /\ Leq \subseteq R \X R
  /\ \A x, y \in R : Plus[x, y] = Plus[y, x] /\ Times[x, y] = Times[y, x]
  /\ \A x \in R : Plus[x, Zero] = x

RM == CHOOSE M : IsModelOfReals(M.R, M.Plus, M.Times, M.Leq)
Real == RM.R
a + b == RM.Plus[a, b]
a * b == RM.Times[a, b]
a <= b == <<a, b>> \in RM.Leq
a - b == CHOOSE c \in Real : c + b = a
a / b == CHOOSE c \in Real : a = b * c
Int == Nat \cup {Zero - n : n \in Nat}
=============================================================================
