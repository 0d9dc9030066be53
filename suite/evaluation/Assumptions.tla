---- MODULE Assumptions ----
\* Facts that must all be TRUE; the model has no behaviour.
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS m1, m2
Fact[n \in 0..10] == IF n = 0 THEN 1 ELSE n * Fact[n - 1]
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN x + Sum(S \ {x})
ASSUME Arithmetic == 7 \div 2 = 3 /\ (-7) \div 2 = -4 /\ (-7) % 2 = 1 /\ 2^10 = 1024
ASSUME Functions == Fact[6] = 720 /\ [i \in 1..3 |-> i] = <<1, 2, 3>> /\ <<>> = [x \in {} |-> 1]
ASSUME Recursion == Sum(1..10) = 55
ASSUME Records == [a |-> 1, b |-> 2].b = 2 /\ DOMAIN [a |-> 1] = {"a"}
ASSUME Sets == {1, 2, 2} = {2, 1} /\ SUBSET {1, 2} = {{}, {1}, {2}, {1, 2}} /\ UNION {{1}, {2}} = 1..2
ASSUME Symbolic == 5 \in {x \in Nat : x > 3} /\ {1} \in SUBSET Nat /\ <<1, 2>> \in Nat \X Nat
ASSUME Sequences == Append(<<1>>, 2) \o <<3>> = <<1, 2, 3>> /\ Tail(<<1, 2>>) = <<2>> /\ Len("abc") = 3
ASSUME Quantifiers == (\A x \in {} : FALSE) /\ ~(\E x \in {} : TRUE) /\ \E x, y \in 1..3 : x + y = 6
ASSUME Except == [<<1, 2, 3>> EXCEPT ![2] = @ + 5] = <<1, 7, 3>>
ASSUME Except2 == [[a |-> <<1>>] EXCEPT !.a[1] = 4].a = <<4>>
ASSUME ModelValues == m1 # m2 /\ m1 # 3 /\ m1 \notin {1, "a"} /\ m1 \in {m1, m2}
ASSUME Choices == (CHOOSE x \in 1..9 : x * x > 20) = 5
ASSUME Cases == (CASE 1 = 2 -> "a" [] 2 = 2 -> "b" [] OTHER -> "c") = "b"
ASSUME Lets == LET f(x) == x + 1  g[x \in 1..2] == f(x) IN g[2] = 3
ASSUME Merged == (1 :> 2) @@ (1 :> 3 @@ 2 :> 4) = <<2, 4>>
ASSUME Lazy == LET never == 1 \div 0 IN TRUE \/ never = 1
====
