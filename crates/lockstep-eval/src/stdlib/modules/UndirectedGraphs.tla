------------------------- MODULE UndirectedGraphs ---------------------------
\* Undirected graphs: records [node, edge], edges being sets of one or two nodes.
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Functions

LOCAL Pairs(S) == {{s, t} : s \in S, t \in S}
IsUndirectedGraph(G) ==
  G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq Pairs(G.node)
IsLoopFreeUndirectedGraph(G) ==
  IsUndirectedGraph(G) /\ \A e \in G.edge : Cardinality(e) = 2
UndirectedSubgraph(G) ==
  {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
Path(G) ==
  {p \in Seq(G.node) :
     p # <<>> /\ \A i \in 1 .. (Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
SimplePath(G) ==
  LET lists == UNION {[1 .. n -> G.node] : n \in 1 .. Cardinality(G.node)}
  IN  {p \in lists :
         /\ \A i \in 1 .. (Len(p) - 1) : {p[i], p[i + 1]} \in G.edge
         /\ IsInjective(p)}
LOCAL Component(G, n) ==
  LET grow[k \in 0 .. Cardinality(G.node)] ==
        IF k = 0 THEN {n}
        ELSE grow[k - 1] \cup {m \in G.node : \E l \in grow[k - 1] : {l, m} \in G.edge}
  IN  grow[Cardinality(G.node)]
AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ n \in Component(G, m)
ConnectedComponents(G) == {Component(G, n) : n \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
UndirectedGraphs(S) == [node : {S}, edge : SUBSET Pairs(S)]
=============================================================================
