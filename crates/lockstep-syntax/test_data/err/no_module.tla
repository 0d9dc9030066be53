-- MODULE no_module --
A == 1
====
