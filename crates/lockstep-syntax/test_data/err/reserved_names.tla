---- MODULE reserved_names ----
CONSTANTS STATE, Size
VARIABLE NEW
Use(CASE) == 1
THEN == 2
====
