---- MODULE junction_columns ----
Next ==
    /\ (a
) + 1
    /\ b
Then ==
  /\ IF p
  THEN q
  ELSE r
====
