---- MODULE Ballots ----
\* A mapping that takes few values where the variable behind it takes many.
EXTENDS Naturals, FiniteSets
CONSTANT Voter
VARIABLES sent, open
vars == <<sent, open>>
Note == [from : Voter, for : {"a", "b"}]
votes == [v \in Voter |-> {m.for : m \in {n \in sent : n.from = v}}]
Decided == {v \in Voter : votes[v] # {}}
Init == sent = {} /\ open = TRUE
Send(m) == open /\ Cardinality(votes[m.from]) < 2 /\ sent' = sent \cup {m} /\ UNCHANGED open
Close == open /\ Decided = Voter /\ open' = FALSE /\ UNCHANGED sent
Next == (\E m \in Note : Send(m)) \/ Close
Spec == Init /\ [][Next]_vars
A == INSTANCE Tally WITH cast <- votes
Refines == A!Spec
Grows == [][\A v \in Voter : votes[v] \subseteq votes'[v]]_votes
Few == Cardinality(Decided) <= Cardinality(sent)
Never == Cardinality(sent) < 2 * Cardinality(Voter)
====
