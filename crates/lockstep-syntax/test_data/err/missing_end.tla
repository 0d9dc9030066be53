---- MODULE missing_end ----
VARIABLE x
Init == x = 0
