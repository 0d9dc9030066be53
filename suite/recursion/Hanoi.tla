---- MODULE Hanoi ----
\* Recursive operators and functions, and a puzzle that uses them.
EXTENDS Integers, Sequences
CONSTANT Discs
VARIABLE pegs
RECURSIVE Down(_)
Down(n) == IF n = 0 THEN <<>> ELSE <<n>> \o Down(n - 1)
Rev[s \in Seq(1..Discs)] == IF s = <<>> THEN <<>> ELSE Append(Rev[Tail(s)], Head(s))
Init == pegs = <<Rev[Down(Discs)], <<>>, <<>>>>
Move(i, j) == /\ pegs[i] # <<>>
              /\ IF pegs[j] = <<>> THEN TRUE ELSE Head(pegs[i]) < Head(pegs[j])
              /\ pegs' = [pegs EXCEPT ![i] = Tail(@), ![j] = <<Head(pegs[i])>> \o @]
Next == \E i, j \in 1..3 : i # j /\ Move(i, j)
Sorted == \A i \in 1..3 : \A k \in 1..(Len(pegs[i]) - 1) : pegs[i][k] < pegs[i][k + 1]
Unsolved == Len(pegs[3]) < Discs
====
