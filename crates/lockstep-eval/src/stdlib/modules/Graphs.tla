------------------------------ MODULE Graphs --------------------------------
\* Directed graphs: records [node, edge], edges being pairs of nodes.
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

IsDirectedGraph(G) ==
  G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) ==
  {H \in [node : SUBSET G.node, edge : SUBSET (G.node \X G.node)] :
     IsDirectedGraph(H) /\ H.edge \subseteq G.edge}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ Transpose(G).edge \subseteq G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

Path(G) ==
  {p \in Seq(G.node) :
     p # <<>> /\ \A i \in 1 .. (Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
SimplePath(G) ==
  LET lists == UNION {[1 .. n -> G.node] : n \in 1 .. Cardinality(G.node)}
  IN  {p \in lists :
         /\ \A i \in 1 .. (Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge
         /\ IsInjective(p)}
ConnectionsIn(G) ==
  ReflexiveTransitiveClosure([m, n \in G.node |-> <<m, n>> \in G.edge], G.node)
AreConnectedIn(m, n, G) ==
  m \in G.node /\ n \in G.node /\ ConnectionsIn(G)[m, n]
IsStronglyConnected(G) == \A m, n \in G.node : ConnectionsIn(G)[m, n]
IsTreeWithRoot(G, r) ==
  /\ IsDirectedGraph(G)
  /\ r \in G.node
  /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : (e[1] = f[1]) => (e = f)
  /\ \A n \in G.node : AreConnectedIn(n, r, G)

GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]
IsBipartiteWithPartitions(G, U, V) ==
  /\ U \cap V = {}
  /\ G.node \subseteq (U \cup V)
  /\ \A e \in G.edge : <<e[1], e[2]>> \in (U \X V) \cup (V \X U)
HasCycle(G) ==
  LET closure == TransitiveClosure([m, n \in G.node |-> <<m, n>> \in G.edge], G.node)
  IN  \E n \in G.node : closure[n, n]
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}
LOCAL Reach(G) ==
  TransitiveClosure([m, n \in G.node |-> <<m, n>> \in G.edge], G.node)
Ancestors(G, n) == LET reach == Reach(G) IN {m \in G.node : reach[m, n]}
Descendants(G, n) == LET reach == Reach(G) IN {m \in G.node : reach[n, m]}
InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}
EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
=============================================================================
