------------------------------ MODULE Naturals ------------------------------
\* Natural numbers and their arithmetic. Every operator is evaluated natively;
\* the right-hand sides only fix names, arities and levels.
Nat == CHOOSE N : \A n \in N : n \notin n

a + b == CHOOSE c \in Nat : <<a, b, c>> \in Nat
a - b == CHOOSE c \in Nat : a = b + c
a * b == CHOOSE c \in Nat : <<a, b, c>> \in Nat
a ^ b == CHOOSE c \in Nat : <<a, b, c>> \in Nat
a <= b == \E c \in Nat : b = a + c
a >= b == b <= a
a < b == a <= b /\ a # b
a > b == b < a
a .. b == {c \in Nat : a <= c /\ c <= b}
a \div b == CHOOSE c \in Nat : \E r \in 0 .. (b - 1) : a = (b * c) + r
a % b == CHOOSE r \in 0 .. (b - 1) : \E c \in Nat : a = (b * c) + r
=============================================================================
