-------------------------------- MODULE TLC ---------------------------------
\* Printing, assertions, registers, and functions written out. Evaluated
\* natively; the definitions say what the operators mean as mathematics.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

Print(out, val) == val
PrintT(out) == TRUE
Assert(val, out) == IF val = TRUE THEN TRUE ELSE CHOOSE v : TRUE
JavaTime == CHOOSE n \in Nat : TRUE
TLCGet(i) == CHOOSE v : TRUE
TLCSet(i, v) == TRUE
d :> e == [x \in {d} |-> e]
f @@ g ==
  [x \in (DOMAIN f) \cup (DOMAIN g) |-> IF x \notin DOMAIN f THEN g[x] ELSE f[x]]
Permutations(S) == {p \in [S -> S] : \A x \in S : \E y \in S : p[y] = x}
SortSeq(s, Op(_, _)) ==
  LET order ==
        CHOOSE p \in Permutations(1 .. Len(s)) :
          \A i, j \in 1 .. Len(s) :
            i < j => (Op(s[p[i]], s[p[j]]) \/ ~Op(s[p[j]], s[p[i]]))
  IN  [i \in 1 .. Len(s) |-> s[order[i]]]
RandomElement(S) == CHOOSE x \in S : TRUE
Any == CHOOSE S : TRUE
ToString(v) == CHOOSE s \in STRING : TRUE
TLCEval(v) == v
=============================================================================
