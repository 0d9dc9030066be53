---- MODULE Messages ----
\* A set of records as a network, cartesian products, filters and set maps.
EXTENDS Integers, FiniteSets
CONSTANT Node
VARIABLES net, state
Kinds == {"ask", "yes", "no"}
Message == [kind : Kinds, from : Node, to : Node]
Init == net = {} /\ state = [n \in Node |-> "idle"]
Ask(n) == /\ state[n] = "idle"
          /\ state' = [state EXCEPT ![n] = "asked"]
          /\ net' = net \cup {[kind |-> "ask", from |-> n, to |-> m] : m \in Node \ {n}}
Answer(n) == \E m \in {x \in net : x.to = n /\ x.kind = "ask"}, k \in {"yes", "no"} :
               /\ net' = (net \ {m}) \cup {[kind |-> k, from |-> n, to |-> m.from]}
               /\ UNCHANGED state
Done(n) == /\ state[n] = "asked"
           /\ \A m \in Node \ {n} : \E x \in net : x.from = m /\ x.to = n /\ x.kind = "yes"
           /\ state' = [state EXCEPT ![n] = "done"]
           /\ net' = {x \in net : x.to # n \/ x.kind = "ask"}
Next == \E n \in Node : Ask(n) \/ Answer(n) \/ Done(n)
TypeOK == net \in SUBSET Message /\ state \in [Node -> {"idle", "asked", "done"}]
Pairs == \A p \in Node \X Node : p[1] = p[2] => Cardinality({x \in net : x.from = p[1] /\ x.to = p[2]}) = 0
====
