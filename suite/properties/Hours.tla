---- MODULE Hours ----
\* A clock with minutes refines one without.
EXTENDS Integers
VARIABLES minutes
Init == minutes \in {0, 15, 30, 45}
Tick == minutes' = (minutes + 15) % 240
Leap == minutes' = (minutes + 75) % 240
Spec == Init /\ [][Tick]_minutes
Broken == Init /\ [][Tick \/ Leap]_minutes
Abstract == INSTANCE Clock WITH hour <- minutes \div 60
Refines == Abstract!Spec
====
