---- MODULE Registers ----
EXTENDS Naturals, TLC, Sequences
VARIABLE n
ASSUME TLCSet(1, 0) /\ TLCGet(1) = 0
Init == n = 0
Next == n < 6 /\ n' = n + 1
Depth == TLCGet("level") = n + 1
Sorted == SortSeq(<<3, 1, 2>>, <) = <<1, 2, 3>> /\ ToString(<<n>>) # ""
Post == TLCGet("distinct") = 7 /\ TLCGet("stats").distinct = 7
====
