------------------------------- MODULE Folds --------------------------------
\* Folding an operator over a set, with a choice of order.
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
  LET fold[T \in SUBSET S] ==
        IF T = {} THEN base
        ELSE LET first == choose(T) IN op(f(first), fold[T \ {first}])
  IN  fold[S]
=============================================================================
