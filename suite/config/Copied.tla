---- MODULE Copied ----
\* The instance makes a copy of Gate!Open; Next inside of Gate goes on with its own.
VARIABLE count
INSTANCE Gate
NeverOpen(n) == FALSE
Shut == ~Open(count)
====
