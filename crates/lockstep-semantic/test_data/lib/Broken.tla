---- MODULE Broken ----
Foo == (1
====
