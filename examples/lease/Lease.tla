------------------------------- MODULE Lease -------------------------------
(* A lease server hands the lead to one node at a time. Messages may be      *)
(* delayed, lost and delivered in any order; nodes may pause. A fencing      *)
(* token on every write keeps a node whose lease has run out from doing      *)
(* damage.                                                                   *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Node,      \* the nodes that want to lead
  MaxToken,  \* how many leases the model hands out
  NoNode     \* stands for nobody

VARIABLES
  holder,    \* whom the server believes to hold the lease
  token,     \* the token of the last lease
  network,   \* messages on their way
  lease,     \* per node, the token it believes to hold; 0 is none
  store      \* what the storage holds: the last writer and its token

vars == <<holder, token, network, lease, store>>

Message ==
  [type : {"grant"}, to : Node, token : 1..MaxToken]
    \cup [type : {"write"}, from : Node, token : 1..MaxToken]
    \cup [type : {"release"}, from : Node, token : 1..MaxToken]

Init ==
  /\ holder = NoNode
  /\ token = 0
  /\ network = {}
  /\ lease = [n \in Node |-> 0]
  /\ store = [writer |-> NoNode, token |-> 0]

\* The server grants a lease when nobody holds it, as far as it knows.
Grant(n) ==
  /\ holder = NoNode /\ token < MaxToken
  /\ holder' = n
  /\ token' = token + 1
  /\ network' = network \cup {[type |-> "grant", to |-> n, token |-> token + 1]}
  /\ UNCHANGED <<lease, store>>

\* The lease runs out at the server; the node does not know.
Expire ==
  /\ holder # NoNode
  /\ holder' = NoNode
  /\ UNCHANGED <<token, network, lease, store>>

Receive(n) == \E m \in network :
  /\ m.type = "grant" /\ m.to = n
  /\ lease' = [lease EXCEPT ![n] = IF m.token > @ THEN m.token ELSE @]
  /\ network' = network \ {m}
  /\ UNCHANGED <<holder, token, store>>

Write(n) ==
  /\ lease[n] > 0
  /\ network' = network \cup {[type |-> "write", from |-> n, token |-> lease[n]]}
  /\ UNCHANGED <<holder, token, lease, store>>

Release(n) ==
  /\ lease[n] > 0
  /\ network' = network \cup {[type |-> "release", from |-> n, token |-> lease[n]]}
  /\ lease' = [lease EXCEPT ![n] = 0]
  /\ UNCHANGED <<holder, token, store>>

Released == \E m \in network :
  /\ m.type = "release"
  /\ holder' = IF holder = m.from /\ token = m.token THEN NoNode ELSE holder
  /\ network' = network \ {m}
  /\ UNCHANGED <<token, lease, store>>

\* The storage takes a write only if its token is not older than the last one.
Apply == \E m \in network :
  /\ m.type = "write"
  /\ network' = network \ {m}
  /\ store' = IF m.token >= store.token THEN [writer |-> m.from, token |-> m.token] ELSE store
  /\ UNCHANGED <<holder, token, lease>>

Lose == \E m \in network :
  /\ network' = network \ {m}
  /\ UNCHANGED <<holder, token, lease, store>>

Next ==
  \/ \E n \in Node : Grant(n) \/ Receive(n) \/ Write(n) \/ Release(n)
  \/ Expire \/ Released \/ Apply \/ Lose

Spec == Init /\ [][Next]_vars

TypeOK ==
  /\ holder \in Node \cup {NoNode}
  /\ token \in 0..MaxToken
  /\ network \subseteq Message
  /\ lease \in [Node -> 0..MaxToken]
  /\ store \in [writer : Node \cup {NoNode}, token : 0..MaxToken]

\* Two nodes may believe to lead at once, but never with one token.
TokensDiffer == \A m, n \in Node : m # n /\ lease[m] > 0 => lease[m] # lease[n]

\* What is stored never goes back to an older lease.
NoStaleWrite == [][store'.token >= store.token]_vars

\* Tempting, and wrong: a lease that has run out is still believed in.
OneLeader == Cardinality({n \in Node : lease[n] > 0}) <= 1
=============================================================================
