-------------------------------- MODULE Bags --------------------------------
\* Bags (multisets): functions from elements to how often they occur.
EXTENDS TLC
LOCAL INSTANCE Naturals

LOCAL Total(f) ==
  LET add[S \in SUBSET DOMAIN f] ==
        IF S = {} THEN 0
        ELSE LET x == CHOOSE y \in S : TRUE IN f[x] + add[S \ {x}]
  IN  add[DOMAIN f]

IsABag(B) == B \in [DOMAIN B -> {n \in Nat : n > 0}]
BagToSet(B) == DOMAIN B
SetToBag(S) == [x \in S |-> 1]
BagIn(e, B) == e \in BagToSet(B)
EmptyBag == SetToBag({})
CopiesIn(e, B) == IF BagIn(e, B) THEN B[e] ELSE 0
B1 (+) B2 == [e \in DOMAIN B1 \cup DOMAIN B2 |-> CopiesIn(e, B1) + CopiesIn(e, B2)]
B1 (-) B2 ==
  LET left == {e \in DOMAIN B1 : B1[e] > CopiesIn(e, B2)}
  IN  [e \in left |-> B1[e] - CopiesIn(e, B2)]
BagUnion(S) ==
  [e \in UNION {BagToSet(B) : B \in S} |-> Total([B \in S |-> CopiesIn(e, B)])]
B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : B1[e] <= CopiesIn(e, B2)
SubBag(B) ==
  LET within(S) == {C \in [S -> 1 .. Total(B)] : \A e \in S : C[e] <= B[e]}
  IN  UNION {within(S) : S \in SUBSET DOMAIN B}
BagOfAll(F(_), B) ==
  [e \in {F(d) : d \in DOMAIN B} |->
     Total([d \in {c \in DOMAIN B : F(c) = e} |-> B[d]])]
BagCardinality(B) == Total(B)
=============================================================================
