---------------------------- MODULE VectorClocks ----------------------------
\* Logs in the order of their vector clocks.
EXTENDS Naturals, Sequences, Functions

LOCAL At(c, d) == IF d \in DOMAIN c THEN c[d] ELSE 0
\* Whether an event with clock v may follow one with clock u: v is later, or
\* neither is.
LOCAL MayFollow(u, v) ==
  \E d \in DOMAIN u \cup DOMAIN v : At(u, d) < At(v, d)

IsCausalOrder(log, clock(_)) ==
  \A i \in 1 .. Len(log) : \A j \in 1 .. (i - 1) : MayFollow(clock(log[j]), clock(log[i]))

CausalOrder(log, clock(_), node(_), domain(_)) ==
  LET clocks == [i \in 1 .. Len(log) |-> clock(log[i])]
      arrange[left \in SUBSET (1 .. Len(log))] ==
        IF left = {} THEN <<>>
        ELSE LET first == CHOOSE k \in left :
                   \A j \in left : j = k \/ MayFollow(clocks[k], clocks[j])
             IN  <<log[first]>> \o arrange[left \ {first}]
  IN  arrange[1 .. Len(log)]
=============================================================================
