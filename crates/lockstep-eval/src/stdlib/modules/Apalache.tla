------------------------------ MODULE Apalache ------------------------------
\* Operators of the Apalache checker with their meaning for explicit checking.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

__x := __e == __x = __e
Gen(__size) == {}
Guess(__S) == CHOOSE __x \in __S : TRUE
SetAsFun(__S) ==
  [__x \in {__p[1] : __p \in __S} |->
     (CHOOSE __p \in __S : __p[1] = __x)[2]]
MkSeq(__N, __F(_)) == [__i \in 1 .. __N |-> __F(__i)]
FunAsSeq(__fn, __len, __capacity) ==
  SubSeq(MkSeq(__capacity, LAMBDA __i : __fn[__i]), 1, __len)
Skolem(__e) == __e
Expand(__S) == __S
ConstCardinality(__cardExpr) == __cardExpr
RECURSIVE ApaFoldSet(_, _, _)
ApaFoldSet(__Op(_, _), __v, __S) ==
  IF __S = {} THEN __v
  ELSE LET __w == CHOOSE __x \in __S : TRUE
       IN  ApaFoldSet(__Op, __Op(__v, __w), __S \ {__w})
RECURSIVE ApaFoldSeqLeft(_, _, _)
ApaFoldSeqLeft(__Op(_, _), __v, __seq) ==
  IF __seq = <<>> THEN __v
  ELSE ApaFoldSeqLeft(__Op, __Op(__v, Head(__seq)), Tail(__seq))
RECURSIVE Repeat(_, _, _)
Repeat(__F(_, _), __N, __x) ==
  IF __N <= 0 THEN __x ELSE __F(Repeat(__F, __N - 1, __x), __N)
=============================================================================
