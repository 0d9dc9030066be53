---- MODULE Test ----
EXTENDS Broken
A == Foo
====
