------------------------------- MODULE Reach -------------------------------
(***************************************************************************)
(* A graph that grows by one edge a step. Filters over nodes are images     *)
(* under the edges, of one node and of a set of nodes, in either direction; *)
(* what quantifiers repeat without depending on their names is shared.      *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, Sequences

CONSTANTS N, MaxEdges

VARIABLES nodes, edges, last

vars == <<nodes, edges, last>>

Children(v) == {c \in nodes : <<v, c>> \in edges}
Parents(v) == {c \in nodes : <<c, v>> \in edges}
Strangers(v) == {c \in nodes : <<v, c>> \notin edges}
Below(W) == {c \in nodes : \E v \in W : <<v, c>> \in edges}
Loops == {c \in nodes : <<c, c>> \in edges}
Between(a, b) == {c \in nodes : <<a, c, b>> \in {<<e[1], e[2], f[2]>> : e \in edges, f \in edges}}

RECURSIVE Reach(_)
Reach(W) == LET more == W \cup Below(W) IN IF more = W THEN W ELSE Reach(more)

Largest(S) == CHOOSE x \in S : \A y \in S : y <= x

(* The same, said so that no filter is an image and nothing is shared. *)
ChildrenToo(v) == {e[2] : e \in {f \in edges : f[1] = v}} \cap nodes
ParentsToo(v) == {e[1] : e \in {f \in edges : f[2] = v}} \cap nodes

Many == {<<a, b>> \in (1..N) \X (1..N) : a <= b}

Init == nodes = 1..N /\ edges \in {{}, Many} /\ last = <<>>

Add(a, b) ==
    /\ Cardinality(edges) \notin {MaxEdges, Cardinality(Many) + 3}
    /\ <<a, b>> \notin edges
    /\ edges' = edges \cup {<<a, b>>}
    /\ last' = <<a, b>>
    /\ UNCHANGED nodes

(* The greatest node that the last one leads to is dropped, with its edges. *)
Drop ==
    /\ Len(last) = 2
    /\ \E x \in nodes :
        /\ x = Largest(Reach({last[1]}))
        /\ x \in {y \in nodes : y >= Largest(Reach({last[1]}))}
        /\ nodes' = nodes \ {x}
        /\ edges' = {e \in edges : x \notin {e[1], e[2]}}
    /\ last' = <<>>

Next == (\E a \in nodes, b \in nodes : Add(a, b)) \/ Drop

Spec == Init /\ [][Next]_vars

Images ==
    \A v \in 1..N :
        /\ Children(v) = ChildrenToo(v)
        /\ Parents(v) = ParentsToo(v)
        /\ Strangers(v) = nodes \ Children(v)
        /\ Below({v}) = Children(v)

Together ==
    /\ Below(nodes) = UNION {Children(v) : v \in nodes}
    /\ Below({}) = {}
    /\ Loops = {v \in nodes : v \in Children(v)}
    /\ \A a \in nodes, b \in nodes : Between(a, b) = {c \in Children(a) : Children(c) # {}
                                        /\ \E d \in edges : d[2] = b} \cup
                                        {c \in Children(a) : \E d \in edges : d[2] = b}

(* Every conjunct under the quantifier has a part that depends on no node. *)
Shared ==
    \A v \in nodes :
        /\ v <= Largest(nodes)
        /\ Cardinality(Reach(nodes)) = Cardinality(nodes)
        /\ \E w \in nodes : w = Largest(nodes) /\ \A u \in nodes : u <= w
        /\ Len(last) = 2 => last[1] \in Reach({last[1]})

(* What nobody asks for is not evaluated, and what fails does so only where it is asked for. *)
Lazy ==
    /\ \A v \in nodes : v > N => Largest({}) = v
    /\ {v \in {} : <<v, 1>> \in Largest({})} = {}
    /\ {v \in {} : \E w \in Largest({}) : <<v, w>> \in edges} = {}
    /\ {v \in nodes : \E w \in {} : <<v, w>> \in Largest({})} = {}

(* False once another node than the first reaches all. *)
NoRoot == \A v \in nodes \ {1} : Reach({v}) # 1..N
=============================================================================
