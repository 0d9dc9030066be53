---- MODULE Projected ----
EXTENDS Naturals
VARIABLES visible, noise
Init == visible = 0 /\ noise = 0
Next == visible' = (visible + 1) % 5 /\ noise' \in {noise + 1, noise + 2}
Seen == visible
Shown == [visible |-> visible, twice |-> 2 * noise]
NotThree == visible # 3
====
