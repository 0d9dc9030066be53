---- MODULE tabs ----
VARIABLE x, y
Init ==
	/\ x \in {0,
    1}
	/\ y = 0
====
