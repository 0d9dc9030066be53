---- MODULE Test ----
F ==
  LET RECURSIVE G(_)
      H == LET G(a) == a IN 1
      G(a) == a
  IN G(1)
====
