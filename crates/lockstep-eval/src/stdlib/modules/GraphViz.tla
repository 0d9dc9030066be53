------------------------------ MODULE GraphViz ------------------------------
\* Graphs in the DOT language. Evaluated natively.
DotDiGraph(G, VL(_), EL(_)) == CHOOSE s \in STRING : TRUE
=============================================================================
