---- MODULE substitution_arrow ----
VARIABLE x
Less == x<-1
More == IF x<-1 THEN 1 ELSE 2
====
