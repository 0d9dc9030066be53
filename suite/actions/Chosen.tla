---- MODULE Chosen ----
\* A function applied in an action is an action: each true disjunct and each binding of its body
\* is a way of its own, unless the function is a constant of the module.
EXTENDS Integers
VARIABLES fuel, place
Roads[town \in 0..2] == fuel > 9 \/ \E road \in 1..3 : road > town
Fixed[town \in 0..2] == \E road \in 1..3 : road > town
Init == fuel = 3 /\ place = 0
Drive ==
  /\ fuel > 0
  /\ Roads[fuel - 1]
  /\ Fixed[fuel - 1]
  /\ LET Tank[level \in 0..3] == IF level = 0 THEN (fuel > 0 \/ fuel < 9) ELSE Tank[level - 1]
     IN Tank[fuel]
  /\ [way \in {place, 7} |-> way < 3 \/ way < 9][place]
  /\ fuel' = fuel - 1
  /\ place' = 1 - place
Next == Drive \/ (fuel = 0 /\ UNCHANGED <<fuel, place>>)
====
