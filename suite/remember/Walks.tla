---- MODULE Walks ----
\* Recursive definitions of values, with arguments that must not be evaluated unless they are read.
EXTENDS Naturals, Sequences, FiniteSets
VARIABLES edges, at
Nodes == 1..3
RECURSIVE Reach(_, _)
Reach(es, from) ==
  LET more == {n \in Nodes : \E m \in from : <<m, n>> \in es} \ from
  IN IF more = {} THEN from ELSE Reach(es, from \cup more)
RECURSIVE First(_, _)
\* The second argument has no value where the sequence is empty.
First(seq, head) == IF seq = <<>> THEN 0 ELSE head + First(Tail(seq), Head(Tail(seq)))
RECURSIVE Count(_)
Count(n) == IF n = 0 THEN Cardinality(edges) ELSE Count(n - 1)
Init == edges = {} /\ at = 1
Link == \E m, n \in Nodes : m # n /\ edges' = edges \cup {<<m, n>>} /\ UNCHANGED at
Go == at' \in Reach(edges, {at}) /\ UNCHANGED edges
Next == Link \/ Go
Sums == First(<<at, at>>, at) = 2 * at
Counts == Count(at) = Cardinality(edges)
Stays == [][at' \in Reach(edges, {at})]_at
Apart == Cardinality(edges) > 3 => at # 3
====
