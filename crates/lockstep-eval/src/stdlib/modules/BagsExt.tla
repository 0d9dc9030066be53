------------------------------ MODULE BagsExt -------------------------------
\* More operators on bags: single elements in and out, folds.
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
  LET fold[n \in Nat, D \in SUBSET DOMAIN B] ==
        IF D = {} THEN base
        ELSE LET x == choose(D)
             IN  IF n < B[x] THEN op(f(x), fold[n + 1, D]) ELSE fold[0, D \ {x}]
  IN  fold[0, DOMAIN B]
FoldBag(op(_, _), base, B) ==
  MapThenFoldBag(op, base, LAMBDA x : x, LAMBDA S : CHOOSE x \in S : TRUE, B)
SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
=============================================================================
