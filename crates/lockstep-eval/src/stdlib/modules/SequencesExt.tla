---------------------------- MODULE SequencesExt ----------------------------
\* Operators on sequences: conversion, search, folds, prefixes, replacement.
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

ToSet(s) == {s[i] : i \in DOMAIN s}
ToBag(s) == [x \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = x})]
SetToSeq(S) == CHOOSE s \in [1 .. Cardinality(S) -> S] : IsInjective(s)
SetToSeqs(S) == {s \in [1 .. Cardinality(S) -> S] : IsInjective(s)}
SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}
TupleOf(set, n) == [1 .. n -> set]
SeqOf(set, n) == UNION {TupleOf(set, k) : k \in 0 .. n}
BoundedSeq(S, n) == SeqOf(S, n)

Contains(s, e) == \E i \in DOMAIN s : s[i] = e
IsSorted(s, op(_, _)) == \A j \in 1 .. Len(s) : \A i \in 1 .. (j - 1) : op(s[i], s[j])
Reverse(s) == [i \in 1 .. Len(s) |-> s[Len(s) + 1 - i]]
Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)
ReplaceAll(s, old, new) == [i \in 1 .. Len(s) |-> IF s[i] # old THEN s[i] ELSE new]

LOCAL Hits(s, Test(_)) == {i \in 1 .. Len(s) : Test(s[i])}
SelectInSeq(seq, Test(_)) ==
  LET hits == Hits(seq, Test) IN IF hits = {} THEN 0 ELSE Min(hits)
SelectInSubSeq(seq, from, to, Test(_)) == SelectInSeq(SubSeq(seq, from, to), Test)
SelectLastInSeq(seq, Test(_)) ==
  LET hits == Hits(seq, Test) IN IF hits = {} THEN 0 ELSE Max(hits)
SelectLastInSubSeq(seq, from, to, Test(_)) == SelectLastInSeq(SubSeq(seq, from, to), Test)

InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
RemoveFirstMatch(s, Test(_)) ==
  LET at == SelectInSeq(s, Test) IN IF at = 0 THEN s ELSE RemoveAt(s, at)
RemoveFirst(s, e) == RemoveFirstMatch(s, LAMBDA x : x = e)

Cons(elt, seq) == <<elt>> \o seq
Snoc(elt, seq) == Append(seq, elt)
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]

IsPrefix(s, t) == Len(s) <= Len(t) /\ \A i \in 1 .. Len(s) : s[i] = t[i]
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == IsPrefix(Reverse(s), Reverse(t))
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0 .. Len(s)}
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1 .. (Len(s) + 1)}
CommonPrefixes(S) ==
  {p \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) ==
  CHOOSE p \in CommonPrefixes(S) : \A q \in CommonPrefixes(S) : Len(p) >= Len(q)

SeqMod(a, b) == LET r == a % b IN IF r = 0 THEN b ELSE r

FoldSeq(op(_, _), base, seq) == FoldFunction(op, base, seq)
FoldLeft(op(_, _), base, seq) ==
  MapThenFoldSet(LAMBDA x, y : op(y, x), base, LAMBDA i : seq[i], Max, DOMAIN seq)
FoldRight(op(_, _), seq, base) ==
  MapThenFoldSet(op, base, LAMBDA i : seq[i], Min, DOMAIN seq)
FoldLeftDomain(op(_, _), base, seq) == FoldLeft(op, base, [i \in DOMAIN seq |-> i])
FoldRightDomain(op(_, _), seq, base) == FoldRight(op, [i \in DOMAIN seq |-> i], base)

FlattenSeq(seqs) ==
  LET join[n \in 0 .. Len(seqs)] ==
        IF n = 0 THEN <<>> ELSE IF n = 1 THEN seqs[1] ELSE join[n - 1] \o seqs[n]
  IN  join[Len(seqs)]
Zip(s, t) ==
  [i \in 1 .. (IF Len(t) < Len(s) THEN Len(t) ELSE Len(s)) |-> <<s[i], t[i]>>]
Interleave(s, t) ==
  IF s = <<>> /\ t = <<>> THEN <<<<>>, <<>>>>
  ELSE [i \in 1 .. (2 * Len(s)) |->
          IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]

SubSeqs(s) == {SubSeq(s, i + 1, j) : i, j \in 0 .. Len(s)}
AllSubSeqs(s) ==
  LET keep(D) == [i \in 1 .. Cardinality(D) |-> s[SetToSortSeq(D, LAMBDA a, b : a < b)[i]]]
  IN  {keep(D) : D \in SUBSET (1 .. Len(s))}
LOCAL OccursAt(i, s, t) ==
  i + Len(s) <= Len(t) + 1 /\ SubSeq(t, i, i + Len(s) - 1) = s
IndexFirstSubSeq(s, t) ==
  CHOOSE i \in 1 .. (Len(t) + 1) :
    OccursAt(i, s, t) /\ \A j \in 1 .. (i - 1) : ~OccursAt(j, s, t)
ReplaceSubSeqAt(i, r, s, t) ==
  SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
ReplaceFirstSubSeq(r, s, t) ==
  IF \E i \in 1 .. (Len(t) + 1) : OccursAt(i, s, t)
  THEN ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t)
  ELSE t
ReplaceAllSubSeqs(r, s, t) ==
  LET replace[i \in 1 .. (Len(t) + 1)] ==
        IF i > Len(t) THEN <<>>
        ELSE IF s = <<>> THEN r \o <<t[i]>> \o replace[i + 1]
        ELSE IF OccursAt(i, s, t) THEN r \o replace[i + Len(s)]
        ELSE <<t[i]>> \o replace[i + 1]
  IN  IF s = t THEN r ELSE replace[1]
=============================================================================
