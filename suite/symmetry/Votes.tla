---- MODULE Votes ----
EXTENDS TLC, FiniteSets, Naturals
CONSTANTS Voter
VARIABLES voted, winner
Init == voted = {} /\ winner = [v \in {} |-> v]
Vote(v) == v \notin voted /\ voted' = voted \cup {v} /\ UNCHANGED winner
Win(v) == /\ 2 * Cardinality(voted) > Cardinality(Voter)
          /\ v \in voted
          /\ winner' = (v :> Cardinality(voted)) @@ winner
          /\ UNCHANGED voted
Next == \E v \in Voter : Vote(v) \/ Win(v)
Perms == Permutations(Voter)
FewWinners == Cardinality(DOMAIN winner) < 4
====
