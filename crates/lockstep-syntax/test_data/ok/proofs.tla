---- MODULE proofs ----
THEOREM TRUE
LEMMA Obvious == TRUE OBVIOUS
PROPOSITION TRUE PROOF OMITTED
COROLLARY By == TRUE BY ONLY Obvious, <1>1, MODULE M DEFS c, >, MODULE N
THEOREM ASSUME NEW a, NEW CONSTANT b \in S, VARIABLE v, STATE s, ACTION t, TEMPORAL F(_, _),
               NEW _ + _, a => b,
               inner :: ASSUME p PROVE q, ASSUME r PROVE s
        PROVE  /\ a
               /\ b
<1> DEFINE c == 1
           d[x \in S] == x
<1>a. e == 2
<1>b.... I == INSTANCE M
<1>1. ASSUME p PROVE q
  <2>1. SUFFICES ASSUME NEW x PROVE x
    BY DEF c
  <2> HIDE c
  <2>2. CASE x
    PROOF
    <*> TAKE x \in S, y \in T
    <*>z. WITNESS 1 \in S, 2
    <*> QED BY <*>z
  <2>3. CASE x -> 1 [] OTHER -> 2
  <2> QED
<1>2. PICK x, y : x = y
  <+> HAVE x
  <*> INSTANCE M WITH x <- 1
  <*> QED
<1>3. []ASSUME p []PROVE q
<1>. USE <1>1, <1>2
<1> QED BY <1>1, <1>1!2
====
