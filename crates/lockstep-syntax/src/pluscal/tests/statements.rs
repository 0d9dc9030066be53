//! What each statement of an algorithm becomes.

use expect_test::expect;

use super::check;

#[test]
fn one_step() {
    check(
        r##"--algorithm A begin a: skip; end algorithm"##,
        &[],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            Init == /\ pc = "a"

            a == /\ pc = "a"
                 /\ TRUE
                 /\ pc' = "Done"

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == a
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn assignments_of_every_shape() {
    check(
        r##"--algorithm A {
  variables x = 1, y \in 1..3; z, f = [i \in 1..2 |-> [a |-> i]];
  {
    a: x := 2 || y := x || f[1].a := 3 || f[2] := [a |-> x];
       z := x = 2;
    b: f[x].a := f[x].a + 1;
       z := /\ x = 1
            /\ \/ y = 1
               \/ y = 2;
  }
}"##,
        &[],
        expect![[r#"
            CONSTANT defaultInitValue
            VARIABLES pc, x, y, z, f

            vars == << pc, x, y, z, f >>

            Init == (* Global variables *)
                    /\ x = 1
                    /\ y \in 1..3
                    /\ z = defaultInitValue
                    /\ f = [i \in 1..2 |-> [a |-> i]]
                    /\ pc = "a"

            a == /\ pc = "a"
                 /\ /\ f' = [f EXCEPT ![1].a = 3,
                                      ![2] = [a |-> x]]
                    /\ x' = 2
                    /\ y' = x
                 /\ z' = (x' = 2)
                 /\ pc' = "b"

            b == /\ pc = "b"
                 /\ f' = [f EXCEPT ![x].a = f[x].a + 1]
                 /\ z' = (/\ x = 1
                          /\ \/ y = 1
                             \/ y = 2)
                 /\ pc' = "Done"
                 /\ UNCHANGED << x, y >>

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == a \/ b
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn if_elsif_and_either_in_the_begin_end_syntax() {
    check(
        r##"--algorithm A
variables x = 0, y = 0, long_name = 0;
begin
  a: if x = 0 then x := 1; elsif x = 1 then y := 2; goto b; else skip; end if;
  b: either x := 2; or await y > 0; y := 0; or long_name := 1; c: skip; end either;
  d: print <<x, y>>; assert x > 0;
end algorithm"##,
        &[],
        expect![[r#"
            VARIABLES pc, x, y, long_name

            vars == << pc, x, y, long_name >>

            Init == (* Global variables *)
                    /\ x = 0
                    /\ y = 0
                    /\ long_name = 0
                    /\ pc = "a"

            a == /\ pc = "a"
                 /\ IF x = 0
                       THEN /\ x' = 1
                            /\ pc' = "b"
                            /\ y' = y
                       ELSE /\ IF x = 1
                                  THEN /\ y' = 2
                                       /\ pc' = "b"
                                  ELSE /\ TRUE
                                       /\ pc' = "b"
                                       /\ y' = y
                            /\ x' = x
                 /\ UNCHANGED long_name

            b == /\ pc = "b"
                 /\ \/ /\ x' = 2
                       /\ pc' = "d"
                       /\ UNCHANGED <<y, long_name>>
                    \/ /\ y > 0
                       /\ y' = 0
                       /\ pc' = "d"
                       /\ UNCHANGED <<x, long_name>>
                    \/ /\ long_name' = 1
                       /\ pc' = "c"
                       /\ UNCHANGED <<x, y>>

            c == /\ pc = "c"
                 /\ TRUE
                 /\ pc' = "d"
                 /\ UNCHANGED << x, y, long_name >>

            d == /\ pc = "d"
                 /\ PrintT(<<x, y>>)
                 /\ Assert(x > 0, "Failure of assertion at line 9, column 22.")
                 /\ pc' = "Done"
                 /\ UNCHANGED << x, y, long_name >>

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == a \/ b \/ c \/ d
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn while_and_with_in_the_brace_syntax() {
    check(
        r##"--algorithm A {
  variable s = {}, n = 0;
  { a: while (n < 3) {
         with (i \in 1..3, j = n) { await i > j; s := s \cup {i}; };
      b: n := n + 1;
       };
    c: while (TRUE) { either n := 0 or skip; };
  }
}"##,
        &[],
        expect![[r#"
            VARIABLES pc, s, n

            vars == << pc, s, n >>

            Init == (* Global variables *)
                    /\ s = {}
                    /\ n = 0
                    /\ pc = "a"

            a == /\ pc = "a"
                 /\ IF n < 3
                       THEN /\ \E i \in 1..3:
                                 LET j == n IN
                                   /\ i > j
                                   /\ s' = (s \cup {i})
                            /\ pc' = "b"
                       ELSE /\ pc' = "c"
                            /\ s' = s
                 /\ n' = n

            b == /\ pc = "b"
                 /\ n' = n + 1
                 /\ pc' = "a"
                 /\ s' = s

            c == /\ pc = "c"
                 /\ \/ /\ n' = 0
                    \/ /\ TRUE
                       /\ n' = n
                 /\ pc' = "c"
                 /\ s' = s

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == a \/ b \/ c
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn while_true_alone_needs_no_pc() {
    check(
        r##"--algorithm A { variable x = 0; { a: while (TRUE) { x := 1 - x } } }"##,
        &[],
        expect![[r#"
            VARIABLE x

            vars == << x >>

            Init == (* Global variables *)
                    /\ x = 0

            Next == x' = 1 - x

            Spec == Init /\ [][Next]_vars
        "#]],
    );
}

#[test]
fn procedures_of_a_lone_algorithm() {
    check(
        r##"--algorithm A
variable r = 1;
procedure F(n, k = 2) variables m = n, u;
begin
  f1: if n = 0 then return; else r := r * n; end if;
  f2: call F(n - 1, k); return;
end procedure;
procedure G()
begin
  g1: call F(r, 3); return;
end procedure;
begin
  a: call F(3, 0); goto c;
  b: call G();
  c: skip;
end algorithm"##,
        &[],
        expect![[r#"
            CONSTANT defaultInitValue
            VARIABLES pc, r, stack, n, k, m, u

            vars == << pc, r, stack, n, k, m, u >>

            Init == (* Global variables *)
                    /\ r = 1
                    (* Procedure F *)
                    /\ n = defaultInitValue
                    /\ k = 2
                    /\ m = n
                    /\ u = defaultInitValue
                    /\ stack = << >>
                    /\ pc = "a"

            f1 == /\ pc = "f1"
                  /\ IF n = 0
                        THEN /\ pc' = Head(stack).pc
                             /\ m' = Head(stack).m
                             /\ u' = Head(stack).u
                             /\ n' = Head(stack).n
                             /\ k' = Head(stack).k
                             /\ stack' = Tail(stack)
                             /\ r' = r
                        ELSE /\ r' = r * n
                             /\ pc' = "f2"
                             /\ UNCHANGED << stack, n, k, m, u >>

            f2 == /\ pc = "f2"
                  /\ /\ k' = k
                     /\ n' = n - 1
                  /\ m' = n'
                  /\ u' = defaultInitValue
                  /\ pc' = "f1"
                  /\ UNCHANGED << r, stack >>

            F == f1 \/ f2

            g1 == /\ pc = "g1"
                  /\ /\ k' = 3
                     /\ n' = r
                     /\ stack' = << [ procedure |->  "F",
                                      pc        |->  Head(stack).pc,
                                      m         |->  m,
                                      u         |->  u,
                                      n         |->  n,
                                      k         |->  k ] >>
                                  \o Tail(stack)
                  /\ m' = n'
                  /\ u' = defaultInitValue
                  /\ pc' = "f1"
                  /\ r' = r

            G == g1

            a == /\ pc = "a"
                 /\ /\ k' = 0
                    /\ n' = 3
                    /\ stack' = << [ procedure |->  "F",
                                     pc        |->  "c",
                                     m         |->  m,
                                     u         |->  u,
                                     n         |->  n,
                                     k         |->  k ] >>
                                 \o stack
                 /\ m' = n'
                 /\ u' = defaultInitValue
                 /\ pc' = "f1"
                 /\ r' = r

            b == /\ pc = "b"
                 /\ stack' = << [ procedure |->  "G",
                                  pc        |->  "c" ] >>
                              \o stack
                 /\ pc' = "g1"
                 /\ UNCHANGED << r, n, k, m, u >>

            c == /\ pc = "c"
                 /\ TRUE
                 /\ pc' = "Done"
                 /\ UNCHANGED << r, stack, n, k, m, u >>

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == F \/ G \/ a \/ b \/ c
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn processes_with_stacks_and_fairness() {
    check(
        r##"--algorithm A {
  variable q = <<>>;
  define { Full == Len(q) > 2
           Empty == q = <<>> }
  macro send(v) { await ~Full; q := Append(q, v); }
  procedure P(a) variable b = a; { p1: send(a + self); p2:+ b := a; p3: return; }
  fair process (producer \in 1..2) variables n = self, m \in 0..1; {
    w: while (n > 0) { call P(n); v:- n := n - 1; } }
  fair+ process (consumer = "c") variable got; {
    r: await ~Empty; got := Head(q) || q := Tail(q); }
  process (other = 7) { o: skip }
}"##,
        &[],
        expect![[r#"
            CONSTANT defaultInitValue
            VARIABLES pc, q, stack

            (* define statement *)
            Full == Len(q) > 2
            Empty == q = <<>>

            VARIABLES a, b, n, m, got

            vars == << pc, q, stack, a, b, n, m, got >>

            ProcSet == (1..2) \cup {"c"} \cup {7}

            Init == (* Global variables *)
                    /\ q = <<>>
                    (* Procedure P *)
                    /\ a = [ self \in ProcSet |-> defaultInitValue]
                    /\ b = [ self \in ProcSet |-> a[self]]
                    (* Process producer *)
                    /\ n = [self \in 1..2 |-> self]
                    /\ m \in [1..2 -> 0..1]
                    (* Process consumer *)
                    /\ got = defaultInitValue
                    /\ stack = [self \in ProcSet |-> << >>]
                    /\ pc = [self \in ProcSet |-> CASE self \in 1..2 -> "w"
                                                    [] self = "c" -> "r"
                                                    [] self = 7 -> "o"]

            p1(self) == /\ pc[self] = "p1"
                        /\ ~Full
                        /\ q' = Append(q, (a[self] + self))
                        /\ pc' = [pc EXCEPT ![self] = "p2"]
                        /\ UNCHANGED << stack, a, b, n, m, got >>

            p2(self) == /\ pc[self] = "p2"
                        /\ b' = [b EXCEPT ![self] = a[self]]
                        /\ pc' = [pc EXCEPT ![self] = "p3"]
                        /\ UNCHANGED << q, stack, a, n, m, got >>

            p3(self) == /\ pc[self] = "p3"
                        /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                        /\ b' = [b EXCEPT ![self] = Head(stack[self]).b]
                        /\ a' = [a EXCEPT ![self] = Head(stack[self]).a]
                        /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                        /\ UNCHANGED << q, n, m, got >>

            P(self) == p1(self) \/ p2(self) \/ p3(self)

            w(self) == /\ pc[self] = "w"
                       /\ IF n[self] > 0
                             THEN /\ /\ a' = [a EXCEPT ![self] = n[self]]
                                     /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "P",
                                                                              pc        |->  "v",
                                                                              b         |->  b[self],
                                                                              a         |->  a[self] ] >>
                                                                          \o stack[self]]
                                  /\ b' = [b EXCEPT ![self] = a'[self]]
                                  /\ pc' = [pc EXCEPT ![self] = "p1"]
                             ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                                  /\ UNCHANGED << stack, a, b >>
                       /\ UNCHANGED << q, n, m, got >>

            v(self) == /\ pc[self] = "v"
                       /\ n' = [n EXCEPT ![self] = n[self] - 1]
                       /\ pc' = [pc EXCEPT ![self] = "w"]
                       /\ UNCHANGED << q, stack, a, b, m, got >>

            producer(self) == w(self) \/ v(self)

            r == /\ pc["c"] = "r"
                 /\ ~Empty
                 /\ /\ got' = Head(q)
                    /\ q' = Tail(q)
                 /\ pc' = [pc EXCEPT !["c"] = "Done"]
                 /\ UNCHANGED << stack, a, b, n, m >>

            consumer == r

            o == /\ pc[7] = "o"
                 /\ TRUE
                 /\ pc' = [pc EXCEPT ![7] = "Done"]
                 /\ UNCHANGED << q, stack, a, b, n, m, got >>

            other == o

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == consumer \/ other
                       \/ (\E self \in ProcSet: P(self))
                       \/ (\E self \in 1..2: producer(self))
                       \/ Terminating

            Spec == /\ Init /\ [][Next]_vars
                    /\ \A self \in 1..2 : /\ WF_vars((pc[self] # "v") /\ producer(self))
                                          /\ WF_vars(P(self)) /\ SF_vars(p2(self))
                    /\ SF_vars(consumer)

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}

#[test]
fn clashing_names_are_renamed() {
    check(
        r##"--algorithm A
variable x = 0;
procedure P(v) variable w = v; begin a: w := v; b: return; end procedure
process Q \in 1..2 variables v = 1, w = v; begin a: w := v; call P(w); b: skip; end process
process R = 3 variable v = 2; begin a: v := x; x: goto x; end process
end algorithm"##,
        &[],
        expect![[r#"
            \* Label a of procedure P at line 6 col 41 changed to a_
            \* Label b of procedure P at line 6 col 52 changed to b_
            \* Label a of process Q at line 7 col 53 changed to a_Q
            \* Label x of process R at line 8 col 51 changed to x_
            \* Process variable v of process Q at line 7 col 30 changed to v_
            \* Process variable w of process Q at line 7 col 37 changed to w_
            \* Process variable v of process R at line 8 col 24 changed to v_R
            CONSTANT defaultInitValue
            VARIABLES pc, x, stack, v, w, v_, w_, v_R

            vars == << pc, x, stack, v, w, v_, w_, v_R >>

            ProcSet == (1..2) \cup {3}

            Init == (* Global variables *)
                    /\ x = 0
                    (* Procedure P *)
                    /\ v = [ self \in ProcSet |-> defaultInitValue]
                    /\ w = [ self \in ProcSet |-> v[self]]
                    (* Process Q *)
                    /\ v_ = [self \in 1..2 |-> 1]
                    /\ w_ = [self \in 1..2 |-> v_[self]]
                    (* Process R *)
                    /\ v_R = 2
                    /\ stack = [self \in ProcSet |-> << >>]
                    /\ pc = [self \in ProcSet |-> CASE self \in 1..2 -> "a_Q"
                                                    [] self = 3 -> "a"]

            a_(self) == /\ pc[self] = "a_"
                        /\ w' = [w EXCEPT ![self] = v[self]]
                        /\ pc' = [pc EXCEPT ![self] = "b_"]
                        /\ UNCHANGED << x, stack, v, v_, w_, v_R >>

            b_(self) == /\ pc[self] = "b_"
                        /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
                        /\ w' = [w EXCEPT ![self] = Head(stack[self]).w]
                        /\ v' = [v EXCEPT ![self] = Head(stack[self]).v]
                        /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
                        /\ UNCHANGED << x, v_, w_, v_R >>

            P(self) == a_(self) \/ b_(self)

            a_Q(self) == /\ pc[self] = "a_Q"
                         /\ w_' = [w_ EXCEPT ![self] = v_[self]]
                         /\ /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "P",
                                                                     pc        |->  "b",
                                                                     w         |->  w[self],
                                                                     v         |->  v[self] ] >>
                                                                 \o stack[self]]
                            /\ v' = [v EXCEPT ![self] = w_'[self]]
                         /\ w' = [w EXCEPT ![self] = v'[self]]
                         /\ pc' = [pc EXCEPT ![self] = "a_"]
                         /\ UNCHANGED << x, v_, v_R >>

            b(self) == /\ pc[self] = "b"
                       /\ TRUE
                       /\ pc' = [pc EXCEPT ![self] = "Done"]
                       /\ UNCHANGED << x, stack, v, w, v_, w_, v_R >>

            Q(self) == a_Q(self) \/ b(self)

            a == /\ pc[3] = "a"
                 /\ v_R' = x
                 /\ pc' = [pc EXCEPT ![3] = "x_"]
                 /\ UNCHANGED << x, stack, v, w, v_, w_ >>

            x_ == /\ pc[3] = "x_"
                  /\ pc' = [pc EXCEPT ![3] = "x_"]
                  /\ UNCHANGED << x, stack, v, w, v_, w_, v_R >>

            R == a \/ x_

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == R
                       \/ (\E self \in ProcSet: P(self))
                       \/ (\E self \in 1..2: Q(self))
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}

#[test]
fn substitution_moves_the_lines_that_are_anchored() {
    check(
        r##"--algorithm A
process P \in 1..2
variables v = 1, w = 2;
begin
  a: v := 2;
     w := v + (IF /\ v = 1
                  /\ w = 2
               THEN LET k == v IN /\ k = w
                                  /\ v = k
               ELSE [v |-> w, w |-> v].v);
end process
end algorithm"##,
        &[],
        expect![[r#"
            VARIABLES pc, v, w

            vars == << pc, v, w >>

            ProcSet == (1..2)

            Init == (* Process P *)
                    /\ v = [self \in 1..2 |-> 1]
                    /\ w = [self \in 1..2 |-> 2]
                    /\ pc = [self \in ProcSet |-> "a"]

            a(self) == /\ pc[self] = "a"
                       /\ v' = [v EXCEPT ![self] = 2]
                       /\ w' = [w EXCEPT ![self] = v'[self] + (IF /\ v'[self] = 1
                                                                  /\ w[self] = 2
                                                               THEN LET k == v'[self] IN /\ k = w[self]
                                                                                         /\ v'[self] = k
                                                               ELSE [v |-> w[self], w |-> v'[self]].v)]
                       /\ pc' = [pc EXCEPT ![self] = "Done"]

            P(self) == a(self)

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == (\E self \in 1..2: P(self))
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}

#[test]
fn macro_arguments_in_parentheses() {
    check(
        r##"--algorithm A {
  variables x = 1, f = <<1, 2>>;
  macro set(t, e) { t := e * 2; print e; assert t = e }
  { a: set(x, x + 1); b: set(f[1], x); }
}"##,
        &[],
        expect![[r#"
            VARIABLES pc, x, f

            vars == << pc, x, f >>

            Init == (* Global variables *)
                    /\ x = 1
                    /\ f = <<1, 2>>
                    /\ pc = "a"

            a == /\ pc = "a"
                 /\ x' = (x + 1) * 2
                 /\ PrintT(x' + 1)
                 /\ Assert(x' = (x' + 1), 
                           "Failure of assertion at line 6, column 42 of macro called at line 7, column 8.")
                 /\ pc' = "b"
                 /\ f' = f

            b == /\ pc = "b"
                 /\ f' = [f EXCEPT ![1] = x * 2]
                 /\ PrintT(x)
                 /\ Assert((f'[1]) = x, 
                           "Failure of assertion at line 6, column 42 of macro called at line 7, column 26.")
                 /\ pc' = "Done"
                 /\ x' = x

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == a \/ b
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn labels_are_added_to_a_bare_algorithm() {
    check(
        r##"--algorithm A { variable x = 0; {
  x := 1; x := 2; while (x > 0) { x := x - 1; x := x + 0; if (x = 5) goto Done; x := 3 }; } }"##,
        &[],
        expect![[r#"
            VARIABLES pc, x

            vars == << pc, x >>

            Init == (* Global variables *)
                    /\ x = 0
                    /\ pc = "Lbl_1"

            Lbl_1 == /\ pc = "Lbl_1"
                     /\ x' = 1
                     /\ pc' = "Lbl_2"

            Lbl_2 == /\ pc = "Lbl_2"
                     /\ x' = 2
                     /\ pc' = "Lbl_3"

            Lbl_3 == /\ pc = "Lbl_3"
                     /\ IF x > 0
                           THEN /\ x' = x - 1
                                /\ pc' = "Lbl_4"
                           ELSE /\ pc' = "Done"
                                /\ x' = x

            Lbl_4 == /\ pc = "Lbl_4"
                     /\ x' = x + 0
                     /\ IF x' = 5
                           THEN /\ pc' = "Done"
                           ELSE /\ pc' = "Lbl_5"

            Lbl_5 == /\ pc = "Lbl_5"
                     /\ x' = 3
                     /\ pc' = "Lbl_3"

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == Lbl_1 \/ Lbl_2 \/ Lbl_3 \/ Lbl_4 \/ Lbl_5
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn labels_are_added_on_demand_with_a_root() {
    check(
        r##"--algorithm A { process (P = 1) variable x = 0; { x := 1; b: x := 2; x := 3 } }"##,
        &["-label", "-labelRoot", "L"],
        expect![[r#"
            VARIABLES pc, x

            vars == << pc, x >>

            ProcSet == {1}

            Init == (* Process P *)
                    /\ x = 0
                    /\ pc = [self \in ProcSet |-> "L1"]

            L1 == /\ pc[1] = "L1"
                  /\ x' = 1
                  /\ pc' = [pc EXCEPT ![1] = "b"]

            b == /\ pc[1] = "b"
                 /\ x' = 2
                 /\ pc' = [pc EXCEPT ![1] = "L2"]

            L2 == /\ pc[1] = "L2"
                  /\ x' = 3
                  /\ pc' = [pc EXCEPT ![1] = "Done"]

            P == L1 \/ b \/ L2

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == P
                       \/ Terminating

            Spec == Init /\ [][Next]_vars

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}
