---- MODULE Pair ----
\* Two channels by named instances with substitutions, operators and parameters.
EXTENDS Integers
VARIABLES left, right
Data == 0..2
Left == INSTANCE Channel WITH value <- left[1], full <- left[2], Merge <- LAMBDA a, b : (a + b) % 3
Other(v) == INSTANCE Channel WITH value <- v[1], full <- v[2], Merge <- -
Sum == INSTANCE Channel WITH value <- right.v, full <- right.f, Merge <- +
Init == left = <<0, FALSE>> /\ right = [v |-> 0, f |-> FALSE]
SendLeft == \E d \in Data : ~left[2] /\ left' = <<(left[1] + d) % 3, TRUE>> /\ UNCHANGED right
Take == left[2] /\ ~right.f /\ left' = [left EXCEPT ![2] = FALSE]
        /\ right' = [right EXCEPT !.f = TRUE, !.v = left[1]]
Drop == right.f /\ right' = [right EXCEPT !.f = FALSE] /\ UNCHANGED left
Next == SendLeft \/ Take \/ Drop
LeftOK == left[2] => ~ENABLED SendLeft
Steps == [][Left!Next]_left
Other2OK == Other(left)!Init \/ left[2] \/ left[1] \in Data
====
