---------------------------- MODULE VectorClocks ----------------------------
\* Logs in the order of their vector clocks.
EXTENDS Naturals, Sequences, Functions

LOCAL At(c, d) == IF d \in DOMAIN c THEN c[d] ELSE 0
\* Whether an event with clock v may follow one with clock u.
LOCAL MayFollow(u, v) ==
  LET D == DOMAIN u \cup DOMAIN v
  IN  \/ (\A d \in D : At(u, d) <= At(v, d)) /\ (\E d \in D : At(u, d) < At(v, d))
      \/ (\E d \in D : At(u, d) < At(v, d)) /\ (\E d \in D : At(u, d) > At(v, d))

IsCausalOrder(log, clock(_)) ==
  \A i \in 1 .. Len(log) : \A j \in 1 .. (i - 1) : MayFollow(clock(log[j]), clock(log[i]))

RECURSIVE Arrange(_, _, _)
LOCAL Arrange(done, left, clock(_)) ==
  IF left = <<>> THEN done
  ELSE LET i == CHOOSE k \in 1 .. Len(left) :
                  \A j \in 1 .. Len(left) :
                    j = k \/ MayFollow(clock(left[k]), clock(left[j]))
       IN  Arrange(Append(done, left[i]),
                   SubSeq(left, 1, i - 1) \o SubSeq(left, i + 1, Len(left)), clock)
CausalOrder(log, clock(_), node(_), domain(_)) == Arrange(<<>>, log, clock)
=============================================================================
