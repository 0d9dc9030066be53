Text before the module is free: "not closed, (* not a comment.
---- MODULE expressions ----
EXTENDS Naturals, Sequences
CONSTANTS a, b, F(_, _), _ ++ _, -. _, _ ^#
VARIABLES x, y
If == IF a THEN b ELSE IF x THEN y ELSE 0
Case == CASE a -> 1 [] b -> 2 [] OTHER -> 3
NestedCase ==
  CASE a -> /\ CASE b -> 1
               [] x -> 2
  [] y -> []TRUE
Let == LET c == 1
           d(e) == e + c
           f[i \in 1..3, <<j, k>> \in S] == i
           i ** j == 1
           g == INSTANCE M WITH p <- 1, q <- LAMBDA z : z, + <- Plus, r <- *
           RECURSIVE h(_)
           h(n) == n
       IN d(1) + f[1, <<1, 2>>]
Quantifiers == \A p, q \in S, <<r, s>> \in T : \E u : \AA v : \EE w : CHOOSE z \in S : TRUE
Choose == CHOOSE <<p, q>> : CHOOSE z : FALSE
Sets == {{}, {1, 2}, {z \in S : z > 1}, {<<p, q>> \in S : p}, {z + 1 : z \in S, <<p, q>> \in T}}
Mistaken == {z \in S, <<p, q>> \in T, z \in S \cup T}
WideSet == {z \in S /\ T : z}
Functions == [[z \in S, <<p, q>> \in T |-> z] EXCEPT ![1][2, 3].f = @ + 1, !.THEN = @]
Spaces == [[S -> T] -> [p : S, IF : T]]
Record == [p |-> 1, DOMAIN |-> 2].DOMAIN.SF_x
Tuples == <<<<>>, <<1>>, <<1, 2>>>>
Actions == [x' = 1]_<<x, y>> /\ <<x' = 1>>_x /\ UNCHANGED <<x, y>> /\ ENABLED (x' = 1)
LookAhead == [][x \in {1, 2}]_x /\ [x \in S]_(x)
Temporal == ([]<>x ~> <>[]y) /\ WF_x(a) /\ SF_<<x, y>>(b) /\ WF_M(1)!v(a) /\ WF_f(1)(a)
Names == M!N(1)!+(1, 2)!<<!>>!3!@!:!(x, y) + A!!!(1, 2) + \o(1, 2) + - (1, 2)
Arguments == F(+, LAMBDA p, q : p) + F( - , -.) + F(/\, \/)
Negative == - 1 - -x * - y
Product == a \X b \X (c \X d) \X c
Numbers == <<12, \b101, \o17, \hFF, 1.5, .5>>
Strings == <<"", "a\\b\"c\"", "\t\n\r\f", "(* no comment *)">>
Labels == \A p \in S : lab(p) :: \E q \in S : other(p, q) :: p = q
Order == a' = b  /\ ~c
Unicode ≜ ∀ p ∈ ℕ : ⟨p, 1⟩ ∈ S × T ∧ ¬p ⇒ □(p)
====
So is text after it.
