---- MODULE Lights ----
\* Two crossings with a button: liveness with weak and strong fairness, and without.
EXTENDS Naturals
VARIABLES light, waiting
vars == <<light, waiting>>
Init == light = "red" /\ waiting = FALSE
Press == ~waiting /\ waiting' = TRUE /\ UNCHANGED light
Green == light = "red" /\ waiting /\ light' = "green" /\ waiting' = FALSE
Red == light = "green" /\ light' = "red" /\ UNCHANGED waiting
Flicker == light \in {"red", "off"} /\ light' = (IF light = "red" THEN "off" ELSE "red") /\ UNCHANGED waiting
Next == Press \/ Green \/ Red
NextFlicker == Next \/ Flicker
Bare == Init /\ [][Next]_vars
Weak == Bare /\ WF_vars(Green) /\ WF_vars(Red)
Flickering == Init /\ [][NextFlicker]_vars /\ WF_vars(Red) /\ WF_vars(Flicker)
WeakFlicker == Flickering /\ WF_vars(Green)
StrongFlicker == Flickering /\ SF_vars(Green)
Served == waiting ~> light = "green"
AgainRed == []<>(light = "red")
EventuallyGreen == <>(light = "green")
StaysRed == <>[](light = "red")
====
