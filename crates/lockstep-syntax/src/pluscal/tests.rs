//! Tests of the translator on algorithms of our own.

use expect_test::{Expect, expect};

use super::{Options, find_algorithm, merge_cfg, translate, translation_is_stale};
use crate::{FileId, SourceFile};

/// Wraps an algorithm into a module.
fn module(algorithm: &str) -> String {
    format!("---- MODULE M ----\nEXTENDS Naturals\n(*\n{algorithm}\n*)\n====\n")
}

/// What lies between the marks of the translated module.
fn generated(algorithm: &str, options: &[&str]) -> String {
    let (options, _) = Options::from_args(options.iter().copied()).expect("options");
    let translation = translate(&module(algorithm), FileId(0), &options);
    assert_eq!(translation.diagnostics.iter().filter(|one| one.is_error()).count(), 0);
    let text = translation.text.expect("a translation");
    let lines = text.lines().skip_while(|line| !line.contains("BEGIN TRANSLATION")).skip(1);
    let inside: Vec<&str> = lines.take_while(|line| !line.contains("END TRANSLATION")).collect();
    inside.join("\n")
}

fn check(algorithm: &str, options: &[&str], expected: Expect) {
    expected.assert_eq(&generated(algorithm, options));
}

/// Errors as `line:column: code: headline`, the line counted in the algorithm.
fn errors(algorithm: &str) -> String {
    let text = module(algorithm);
    let file = SourceFile::new("M.tla", text.clone());
    let translation = translate(&text, FileId(0), &Options::default());
    let mut out = String::new();
    for one in translation.diagnostics.iter().filter(|one| one.is_error()) {
        let place = |start| {
            let (line, col) = file.line_col(start);
            format!("{}:{col}", line - 3)
        };
        let start = one.primary.as_ref().map_or(0, |label| label.span.start);
        out.push_str(&format!("{}: {}: {}", place(start), one.code, one.headline));
        for call in &one.secondary {
            out.push_str(&format!(", called at {}", place(call.span.start)));
        }
        out.push('\n');
    }
    out
}

fn check_errors(algorithm: &str, expected: Expect) {
    expected.assert_eq(&errors(algorithm));
}

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

#[test]
fn weak_fairness_option() {
    check(
        r##"--algorithm A { process (P \in 1..2) { a: skip } process (Q = 3) { b: skip } }"##,
        &["-wf"],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            ProcSet == (1..2) \cup {3}

            Init == /\ pc = [self \in ProcSet |-> CASE self \in 1..2 -> "a"
                                                    [] self = 3 -> "b"]

            a(self) == /\ pc[self] = "a"
                       /\ TRUE
                       /\ pc' = [pc EXCEPT ![self] = "Done"]

            P(self) == a(self)

            b == /\ pc[3] = "b"
                 /\ TRUE
                 /\ pc' = [pc EXCEPT ![3] = "Done"]

            Q == b

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == Q
                       \/ (\E self \in 1..2: P(self))
                       \/ Terminating

            Spec == /\ Init /\ [][Next]_vars
                    /\ \A self \in 1..2 : WF_vars(P(self))
                    /\ WF_vars(Q)

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}

#[test]
fn strong_fairness_option() {
    check(
        r##"--algorithm A { process (P \in 1..2) { a:- skip } process (Q = 3) { b: skip } }"##,
        &["-sf"],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            ProcSet == (1..2) \cup {3}

            Init == /\ pc = [self \in ProcSet |-> CASE self \in 1..2 -> "a"
                                                    [] self = 3 -> "b"]

            a(self) == /\ pc[self] = "a"
                       /\ TRUE
                       /\ pc' = [pc EXCEPT ![self] = "Done"]

            P(self) == a(self)

            b == /\ pc[3] = "b"
                 /\ TRUE
                 /\ pc' = [pc EXCEPT ![3] = "Done"]

            Q == b

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == Q
                       \/ (\E self \in 1..2: P(self))
                       \/ Terminating

            Spec == /\ Init /\ [][Next]_vars
                    /\ \A self \in 1..2 : SF_vars((pc[self] # "a") /\ P(self))
                    /\ SF_vars(Q)

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}

#[test]
fn fair_next_option() {
    check(
        r##"--algorithm A { process (P \in 1..2) { a: skip } }"##,
        &["-wfNext"],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            ProcSet == (1..2)

            Init == /\ pc = [self \in ProcSet |-> "a"]

            a(self) == /\ pc[self] = "a"
                       /\ TRUE
                       /\ pc' = [pc EXCEPT ![self] = "Done"]

            P(self) == a(self)

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
                           /\ UNCHANGED vars

            Next == (\E self \in 1..2: P(self))
                       \/ Terminating

            Spec == /\ Init /\ [][Next]_vars
                    /\ WF_vars(Next)

            Termination == <>(\A self \in ProcSet: pc[self] = "Done")
        "#]],
    );
}

#[test]
fn no_fairness_beats_termination() {
    check(
        r##"--algorithm A { process (P \in 1..2) { a: skip } }"##,
        &["-nof", "-termination"],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            ProcSet == (1..2)

            Init == /\ pc = [self \in ProcSet |-> "a"]

            a(self) == /\ pc[self] = "a"
                       /\ TRUE
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
fn no_done_disjunct_option() {
    check(
        r##"--algorithm A { { a: skip } }"##,
        &["-noDoneDisjunct"],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            Init == /\ pc = "a"

            a == /\ pc = "a"
                 /\ TRUE
                 /\ pc' = "Done"

            Next == a

            Spec == Init /\ [][Next]_vars

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn line_width_option() {
    check(
        r##"--algorithm A {
  variables alpha = 1, bravo = 2, charlie = 3, delta = 4, echo = 5, foxtrot = 6, golf = 7;
  { a: alpha := 1; b: if (alpha = 2) { bravo := 1; charlie := 1; delta := 1; echo := 1 } } }"##,
        &["-lineWidth", "60"],
        expect![[r#"
            VARIABLES pc, alpha, bravo, charlie, delta, echo, foxtrot, 
                      golf

            vars == << pc, alpha, bravo, charlie, delta, echo, foxtrot, 
                       golf >>

            Init == (* Global variables *)
                    /\ alpha = 1
                    /\ bravo = 2
                    /\ charlie = 3
                    /\ delta = 4
                    /\ echo = 5
                    /\ foxtrot = 6
                    /\ golf = 7
                    /\ pc = "a"

            a == /\ pc = "a"
                 /\ alpha' = 1
                 /\ pc' = "b"
                 /\ UNCHANGED << bravo, charlie, delta, echo, foxtrot, 
                                 golf >>

            b == /\ pc = "b"
                 /\ IF alpha = 2
                       THEN /\ bravo' = 1
                            /\ charlie' = 1
                            /\ delta' = 1
                            /\ echo' = 1
                       ELSE /\ TRUE
                            /\ UNCHANGED << bravo, charlie, delta, echo >>
                 /\ pc' = "Done"
                 /\ UNCHANGED << alpha, foxtrot, golf >>

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
fn fair_algorithm() {
    check(
        r##"--fair algorithm A { { a: skip; b:- skip } }"##,
        &[],
        expect![[r#"
            VARIABLE pc

            vars == << pc >>

            Init == /\ pc = "a"

            a == /\ pc = "a"
                 /\ TRUE
                 /\ pc' = "b"

            b == /\ pc = "b"
                 /\ TRUE
                 /\ pc' = "Done"

            (* Allow infinite stuttering to prevent deadlock on termination. *)
            Terminating == pc = "Done" /\ UNCHANGED vars

            Next == a \/ b
                       \/ Terminating

            Spec == /\ Init /\ [][Next]_vars
                    /\ WF_vars(Next)

            Termination == <>(pc = "Done")
        "#]],
    );
}

#[test]
fn unicode_and_comments() {
    check(
        r##"--algorithm A { variable s ∈ {"é"}; (* c (* nested *) *)
  { a: s := "ä" \* to the end
    ; print s } }"##,
        &[],
        expect![[r#"
            VARIABLES pc, s

            vars == << pc, s >>

            Init == (* Global variables *)
                    /\ s \in {"é"}
                    /\ pc = "a"

            a == /\ pc = "a"
                 /\ s' = "ä"
                 /\ PrintT(s')
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
fn an_unknown_word_after_fair() {
    check_errors(
        r##"--fair+ algorithm A { { a: skip } }"##,
        expect![[r#"
            1:1: pcal-syntax: `--fair' not followed by `algorithm'
        "#]],
    );
}

#[test]
fn a_missing_name() {
    check_errors(
        r##"--algorithm { { a: skip } }"##,
        expect![[r#"
            1:13: pcal-syntax: Expected the name of the algorithm but found "{"
        "#]],
    );
}

#[test]
fn a_missing_sign_of_assignment() {
    check_errors(
        r##"--algorithm A
variable x = 1;
begin
 x = 3;
end algorithm"##,
        expect![[r#"
            4:7: pcal-syntax: Expected ":=" but found ";"
        "#]],
    );
}

#[test]
fn a_missing_semicolon() {
    check_errors(
        r##"--algorithm A { variable x = 0; { a: x := 1 skip } }"##,
        expect![[r#"
            1:45: pcal-syntax: Missing `;' before "skip"
        "#]],
    );
}

#[test]
fn an_empty_right_hand_side() {
    check_errors(
        r##"--algorithm A
variable x;
begin
 b: x := ;
end algorithm"##,
        expect![[r#"
            4:7: pcal-empty: Empty right-hand side of assignment
        "#]],
    );
}

#[test]
fn an_empty_await() {
    check_errors(
        r##"--algorithm A
begin
 await;
end algorithm"##,
        expect![[r#"
            3:2: pcal-empty: Empty `await' expression
        "#]],
    );
}

#[test]
fn an_empty_while() {
    check_errors(
        r##"--algorithm A begin while TRUE do end while; end algorithm"##,
        expect![[r#"
            1:44: pcal-empty: Missing body of while statement
        "#]],
    );
}

#[test]
fn an_empty_with() {
    check_errors(
        r##"--algorithm A begin with x = 0 do end with; end algorithm"##,
        expect![[r#"
            1:21: pcal-empty: Missing body of with statement
        "#]],
    );
}

#[test]
fn an_empty_with_set() {
    check_errors(
        r##"--algorithm A { { a: with (x \in ) { skip } } }"##,
        expect![[r#"
            1:30: pcal-empty: Empty with expression
        "#]],
    );
}

#[test]
fn an_empty_branch() {
    check_errors(
        r##"--algorithm A begin if TRUE then end if; end algorithm"##,
        expect![[r#"
            1:40: pcal-empty: Missing body of `then' clause
        "#]],
    );
}

#[test]
fn an_unmatched_bracket() {
    check_errors(
        r##"--algorithm A { { a: x := (1 + 2; } }"##,
        expect![[r#"
            1:33: pcal-unmatched: Expression with an unmatched (, [, {, or << followed by `;' found
        "#]],
    );
}

#[test]
fn an_if_without_its_end() {
    check_errors(
        r##"--algorithm A
begin
 b: if TRUE then skip; else skip;
end algorithm"##,
        expect![[r#"
            4:5: pcal-syntax: Expected "if" but found "algorithm"
        "#]],
    );
}

#[test]
fn an_if_without_parentheses() {
    check_errors(
        r##"--algorithm A { { a: if TRUE { skip } } }"##,
        expect![[r#"
            1:25: pcal-syntax: Expected "(" but found "TRUE"
        "#]],
    );
}

#[test]
fn a_process_without_its_end() {
    check_errors(
        r##"--algorithm A
process P = 1
begin
 a: print self;
end algorithm"##,
        expect![[r#"
            5:5: pcal-syntax: Expected "process" but found "algorithm"
        "#]],
    );
}

#[test]
fn an_either_without_or() {
    check_errors(
        r##"--algorithm A { { p: either {skip}; } }"##,
        expect![[r#"
            1:22: pcal-either: `either' statement has no `or'
        "#]],
    );
}

#[test]
fn an_unterminated_string() {
    check_errors(
        r##"--algorithm A { variable x; { p: x := "abc; }}"##,
        expect![[r#"
            1:39: pcal-lexical: Unterminated string in line 4
        "#]],
    );
}

#[test]
fn a_goto_to_nowhere() {
    check_errors(
        r##"--algorithm A { procedure P() {p: skip; goto q;} { q: goto p; } }"##,
        expect![[r#"
            1:41: pcal-goto: goto to non-existent label `q'
        "#]],
    );
}

#[test]
fn a_goto_to_error() {
    check_errors(
        r##"--algorithm A { { p: goto Error } }"##,
        expect![[r#"
            1:22: pcal-goto: goto to non-existent label `Error'
        "#]],
    );
}

#[test]
fn a_call_of_nothing() {
    check_errors(
        r##"--algorithm A begin
 a: call b();
end algorithm"##,
        expect![[r#"
            2:5: pcal-no-procedure: Call of non-existent procedure b
        "#]],
    );
}

#[test]
fn too_few_arguments() {
    check_errors(
        r##"--algorithm A
procedure P(q) begin a: return; end procedure
begin
 a: call P();
end algorithm"##,
        expect![[r#"
            4:5: pcal-arguments: Procedure P called with wrong number of arguments: 0 instead of 1
        "#]],
    );
}

#[test]
fn a_return_outside_a_procedure() {
    check_errors(
        r##"--algorithm A { process (P = 1) { p: skip; return; } }"##,
        expect![[r#"
            1:44: pcal-return: return statement not in a procedure
        "#]],
    );
}

#[test]
fn a_label_twice() {
    check_errors(
        r##"--algorithm A begin b: skip; b: skip; end algorithm"##,
        expect![[r#"
            1:33: pcal-redefined: Label b redefined
        "#]],
    );
}

#[test]
fn a_reserved_label() {
    check_errors(
        r##"--algorithm A begin Done: skip; end algorithm"##,
        expect![[r#"
            1:21: pcal-label-name: Cannot use `Done' as a label
        "#]],
    );
}

#[test]
fn a_label_in_a_macro() {
    check_errors(
        r##"--algorithm A
macro M(x) begin c: x := 1; end macro;
begin
 b: M(x);
end algorithm"##,
        expect![[r#"
            2:18: pcal-label-in-macro: A label may not appear in a macro
        "#]],
    );
}

#[test]
fn a_label_in_a_with() {
    check_errors(
        r##"--algorithm A begin b: with y = 3 do c: skip end with; end algorithm"##,
        expect![[r#"
            1:41: pcal-with: Label in `with' statement
        "#]],
    );
}

#[test]
fn a_while_in_a_with() {
    check_errors(
        r##"--algorithm A begin b: with x = 1 do while x do skip; end while; end with; end algorithm"##,
        expect![[r#"
            1:38: pcal-with: `while' inside a `with' statement
        "#]],
    );
}

#[test]
fn an_assignment_twice_in_a_with() {
    check_errors(
        r##"--algorithm A { variable x; { q: with (i \in 1..3) { x := 3; x := 5; } } }"##,
        expect![[r#"
            1:62: pcal-with: Second assignment to same variable inside a `with' statement
        "#]],
    );
}

#[test]
fn a_statement_after_goto_in_a_with() {
    check_errors(
        r##"--algorithm A { variable x; { q: with (i \in 1..3) { goto q; x := 5; } } }"##,
        expect![[r#"
            1:62: pcal-with: Statement follows `call', `return' or `goto' inside a `with' statement
        "#]],
    );
}

#[test]
fn missing_labels() {
    check_errors(
        r##"--algorithm A
variable x;
begin
 b: x := 1; x := 2;
 c: x := 3; while x = 3 do skip end while; skip;
end algorithm"##,
        expect![[r#"
            4:13: pcal-missing-label: Missing label
            5:13: pcal-missing-label: Missing label
        "#]],
    );
}

#[test]
fn a_missing_label_after_a_goto() {
    check_errors(
        r##"--algorithm A { variable x; { a: if (x = 1) goto a; x := 2 } }"##,
        expect![[r#"
            1:53: pcal-missing-label: Missing label
        "#]],
    );
}

#[test]
fn a_missing_label_in_a_macro() {
    check_errors(
        r##"--algorithm A { variable x; macro M(z) { x := z; x := 3; } { p: M(1) } }"##,
        expect![[r#"
            1:50: pcal-missing-label: Missing label, called at 1:65
        "#]],
    );
}

#[test]
fn an_unknown_macro() {
    check_errors(
        r##"--algorithm A { process (P = 1) { p: foo(); } }"##,
        expect![[r#"
            1:38: pcal-macro-undefined: Macro foo undefined
        "#]],
    );
}

#[test]
fn a_macro_in_itself() {
    check_errors(
        r##"--algorithm A
macro M(y) begin M(y); end macro;
begin
 b: M(x);
end algorithm"##,
        expect![[r#"
            2:18: pcal-macro-undefined: Macro M undefined
        "#]],
    );
}

#[test]
fn too_many_macro_arguments() {
    check_errors(
        r##"--algorithm A
variable x;
macro M(y) begin y := 1; end macro;
begin
 b: M(x, 3);
end algorithm"##,
        expect![[r#"
            5:5: pcal-arguments: Macro M called with wrong number of arguments: 2 instead of 1
        "#]],
    );
}

#[test]
fn a_macro_that_assigns_a_number() {
    check_errors(
        r##"--algorithm A
variable x;
macro M(y) begin y := 1; end macro;
begin
 b: M(3);
end algorithm"##,
        expect![[r#"
            3:18: pcal-macro-assign: Macro expansion substitutes `3' for assignment variable, called at 5:5
        "#]],
    );
}

#[test]
fn an_undeclared_variable() {
    check_errors(
        r##"--algorithm A { {p: x[1] := 3; } }"##,
        expect![[r#"
            1:21: pcal-undeclared: Assignment to undeclared variable x
        "#]],
    );
}

#[test]
fn an_undeclared_variable_in_a_macro() {
    check_errors(
        r##"--algorithm A {
 macro M(y) { y := 1; }
 { b: M(c); } }"##,
        expect![[r#"
            2:15: pcal-undeclared: Assignment to undeclared variable c, called at 3:7
        "#]],
    );
}

#[test]
fn an_undeclared_variable_in_a_multiple_assignment() {
    check_errors(
        r##"--algorithm A { variable v; { a: v := 1 || c := 2 } }"##,
        expect![[r#"
            1:41: pcal-undeclared: Assignment to undeclared variable c
        "#]],
    );
}

#[test]
fn a_variable_assigned_twice_at_once() {
    check_errors(
        r##"--algorithm A { variable x; { a: x := 1 || x := 2 } }"##,
        expect![[r#"
            1:34: pcal-multiple-assignment: Multiple assignment to x
        "#]],
    );
}

#[test]
fn a_variable_declared_twice() {
    check_errors(
        r##"--algorithm A
variable x, x;
begin
 b: skip;
end algorithm"##,
        expect![[r#"
            2:13: pcal-redefined: Global variable x redefined
        "#]],
    );
}

#[test]
fn a_variable_named_pc() {
    check_errors(
        r##"--algorithm A variable pc; begin a: skip; end algorithm"##,
        expect![[r#"
            1:24: pcal-redefined: Global variable pc redefined
        "#]],
    );
}

#[test]
fn a_local_variable_that_hides_a_global_one() {
    check_errors(
        r##"--algorithm A { variable x; process (P = 1) variable x; { a: skip } }"##,
        expect![[r#"
            1:54: pcal-redefined: Process variable x redefined
        "#]],
    );
}

/// The text of a translation that must succeed.
fn translated(text: &str, options: &Options) -> String {
    translate(text, FileId(0), options).text.expect("a translation")
}

#[test]
fn an_unterminated_comment_goes_before_all_else() {
    let text = "---- MODULE M ----\n(* --algorithm A { variable x; { p: x := 1; (* }}\n====\n";
    let translation = translate(text, FileId(0), &Options::default());
    let first = &translation.diagnostics[0];
    assert_eq!(first.headline, "Algorithm not in properly terminated comment");
    assert!(translation.text.is_none());
}

#[test]
fn a_module_without_algorithm_says_so() {
    let text = "---- MODULE M ----\n(* An --algorithmic idea. *)\n====\n";
    assert_eq!(find_algorithm(text, FileId(0)), None);
    let translation = translate(text, FileId(0), &Options::default());
    assert_eq!(translation.diagnostics[0].code, "pcal-no-algorithm");
}

#[test]
fn translating_again_changes_nothing() {
    let text = module("--algorithm A { variable x = 0; { a: x := 1; b: skip } }");
    let once = translated(&text, &Options::default());
    assert_eq!(translated(&once, &Options::default()), once);
}

#[test]
fn the_place_of_an_old_translation_is_kept() {
    let text = "---- MODULE M ----\n(* --algorithm A { { a: skip } } *)\nB == 1\n\
                \\* BEGIN TRANSLATION\nold == 1\n\\* END TRANSLATION\nC == 2\n====\n";
    let new = translated(text, &Options::default());
    assert!(new.contains("B == 1\n\\* BEGIN TRANSLATION\nVARIABLE pc\n"), "{new}");
    assert!(new.ends_with("\n\\* END TRANSLATION\nC == 2\n====\n"), "{new}");
    assert!(!new.contains("old == 1"));
}

#[test]
fn a_begin_without_end_is_an_error() {
    let text = "---- MODULE M ----\n(* --algorithm A { { a: skip } } *)\n\
                \\* BEGIN TRANSLATION\n====\n";
    let translation = translate(text, FileId(0), &Options::default());
    assert_eq!(translation.diagnostics[0].code, "pcal-no-end");
}

#[test]
fn line_ends_are_kept_unless_unix_ones_are_asked_for() {
    let text = module("--algorithm A { { a: skip } }").replace('\n', "\r\n");
    let kept = translated(&text, &Options::default());
    assert_eq!(kept.matches('\n').count(), kept.matches("\r\n").count());
    let unix = translated(&text, &Options { unix_eol: true, ..Options::default() });
    assert!(!unix.contains('\r'));
}

#[test]
fn a_changed_algorithm_or_translation_is_stale() {
    let text = module("--algorithm A { variable x = 0; { a: x := x + 1 } }");
    let fresh = translated(&text, &Options::default());
    let code = |text: &str| translation_is_stale(text, FileId(0)).map(|warning| warning.code);
    assert_eq!(code(&text), None);
    assert_eq!(code(&fresh), None);
    assert_eq!(code(&fresh.replace("x := x + 1", "x  :=  x + 1 (* c *)")), None);
    assert_eq!(code(&fresh.replace("x := x + 1", "x := x + 2")), Some("W4804"));
    assert_eq!(code(&fresh.replace("x' = x + 1", "x' = x + 2")), Some("W4805"));
    let both = fresh.replace("x := x + 1", "x := 5").replace("x' = x + 1", "x' = 6");
    assert_eq!(code(&both), Some("W4803"));
    let silenced = both.lines().map(|line| {
        if line.contains("BEGIN TRANSLATION") { "\\* BEGIN TRANSLATION" } else { line }
    });
    assert_eq!(code(&silenced.collect::<Vec<_>>().join("\n")), None);
}

#[test]
fn a_translation_with_options_is_not_stale() {
    let algorithm = "--algorithm A { process (P \\in 1..2) { skip; a: skip } }";
    for word in ["-wf", "-sf", "-wfNext", "-nof"] {
        let (options, _) = Options::from_args([word, "-label"]).expect("options");
        let text = translated(&module(algorithm), &options);
        assert_eq!(translation_is_stale(&text, FileId(0)), None, "{word}");
    }
}

#[test]
fn generated_lines_lead_back_to_the_algorithm() {
    let text = module("--algorithm A { variable x = 0; { a: x := 1; b: print x } }");
    let translation = translate(&text, FileId(0), &Options::default());
    let new = translation.text.as_deref().expect("a translation");
    let source = |needle: &str| {
        let line = new.lines().position(|line| line.contains(needle)).expect("a line") as u32 + 1;
        let span = translation.source_of(line).expect("a source");
        &new[span.start as usize..span.end as usize]
    };
    assert_eq!(source("/\\ x' = 1"), "x := 1");
    assert_eq!(source("/\\ x = 0"), "x");
    assert_eq!(source("PrintT(x)"), "print");
    assert_eq!(source("a == /\\ pc = \"a\""), "a");
    let names: Vec<&str> = translation.labels.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn an_algorithm_below_its_translation_is_mapped_to_where_it_moves() {
    let text = "---- MODULE M ----\n\\* BEGIN TRANSLATION\n\\* END TRANSLATION\n\
                (* --algorithm A { variable x = 0; { a: x := 1 } } *)\n====\n";
    let translation = translate(text, FileId(0), &Options::default());
    let new = translation.text.as_deref().expect("a translation");
    let line = new.lines().position(|line| line.contains("x' = 1")).expect("a line") as u32 + 1;
    let span = translation.source_of(line).expect("a source");
    assert_eq!(&new[span.start as usize..span.end as usize], "x := 1");
}

#[test]
fn added_labels_are_marked() {
    let text = module("--algorithm A { variable x = 0; { x := 1; b: skip } }");
    let (options, _) = Options::from_args(["-reportLabels"]).expect("options");
    let translation = translate(&text, FileId(0), &options);
    let labels: Vec<(&str, bool)> =
        translation.labels.iter().map(|label| (label.name.as_str(), label.added)).collect();
    assert_eq!(labels, [("Lbl_1", true), ("b", false)]);
}

#[test]
fn options_in_the_module() {
    let fair = |comment: &str| {
        let text = format!("{comment}\n{}", module("--algorithm A { { a: skip } }"));
        translated(&text, &Options::default()).contains("WF_vars(Next)")
    };
    assert!(fair("(* PlusCal options (wf) *)"));
    assert!(fair("\\* PlusCal options (-termination, -nocfg)"));
    assert!(fair("(* PlusCal options -wf *)"));
    assert!(!fair("(* PlusCal options are described elsewhere *)"));
    let text = format!("(* PlusCal options (foo) *)\n{}", module("--algorithm A {{a: skip}}"));
    let translation = translate(&text, FileId(0), &Options::default());
    assert_eq!(translation.diagnostics[0].code, "pcal-options");
}

#[test]
fn options_of_the_command_line() {
    let read = |words: &[&str]| match Options::from_args(words.iter().copied()) {
        Ok((options, rest)) => format!("{options:?} {rest:?}"),
        Err(message) => message,
    };
    let all = [
        "-wf",
        "-termination",
        "-nocfg",
        "-noold",
        "-noDoneDisjunct",
        "-reportLabels",
        "-labelRoot",
        "L",
        "-lineWidth",
        "70",
        "-unixEOL",
        "-version",
        "1.8",
        "-myspec",
        "S",
        "M.tla",
    ];
    expect![[r#"Options { fairness: Some(Weak), termination: true, no_cfg: true, no_old: true, no_done_disjunct: true, label: true, report_labels: true, label_root: "L", line_width: 70, unix_eol: true, version: "1.8", spec: Some(("myspec", "S")) } ["M.tla"]"#]].assert_eq(&read(&all));
    expect!["Unknown command-line option: -bogus"].assert_eq(&read(&["-bogus", "M"]));
    expect!["Can only have one of -wf, -sf, -wfNext, and -nof options"]
        .assert_eq(&read(&["-wf", "-sf", "M"]));
    expect!["-lineWidth needs a number of at least 60, not `20'"]
        .assert_eq(&read(&["-lineWidth", "20"]));
    expect!["-labelRoot must be followed by a value"].assert_eq(&read(&["-labelRoot"]));
    expect!["Unknown version of PlusCal: `2.0'"].assert_eq(&read(&["-version", "2.0"]));
    expect!["-labelRoot needs the start of a name, not `1x'"]
        .assert_eq(&read(&["-labelRoot", "1x"]));
    expect!["Can only have one of -spec, -myspec, -spec2, and -myspec2 options"]
        .assert_eq(&read(&["-spec", "A", "-spec2", "B"]));
}

#[test]
fn the_configuration_keeps_what_the_user_added() {
    let text = module("--algorithm A { variable x; { a: skip } }");
    let (options, _) = Options::from_args(["-termination"]).expect("options");
    let cfg = translate(&text, FileId(0), &options).cfg.expect("a configuration");
    let first = merge_cfg(&cfg, None);
    expect![[r#"
        SPECIFICATION Spec
        PROPERTY Termination
        CONSTANT defaultInitValue = defaultInitValue
        \* Add statements after this line.
    "#]]
    .assert_eq(&first);
    assert_eq!(merge_cfg(&cfg, Some(&first)), first);
    let edited = format!("{first}INVARIANT I\n");
    assert_eq!(merge_cfg(&cfg, Some(&edited)), edited);
    let own = merge_cfg(&cfg, Some("SPECIFICATION Mine\nINVARIANT I"));
    expect![[r#"
        PROPERTY Termination
        CONSTANT defaultInitValue = defaultInitValue
        \* Add statements after this line.
        SPECIFICATION Mine
        INVARIANT I
    "#]]
    .assert_eq(&own);
    let (options, _) = Options::from_args(["-nocfg"]).expect("options");
    assert_eq!(translate(&text, FileId(0), &options).cfg, None);
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| {
        let algorithm = format!(
            "--algorithm A {{ variable x = 0; {{ a: {} x := 1 {} }} }}",
            "if (x = 0) {".repeat(depth),
            "}".repeat(depth)
        );
        let translation = translate(&module(&algorithm), FileId(0), &Options::default());
        translation.diagnostics.first().map(|one| one.code)
    };
    assert_eq!(nested(100), None);
    assert_eq!(nested(20_000), Some("pcal-nesting"));
}

#[test]
fn no_prefix_of_an_algorithm_panics() {
    let whole = module(
        "--algorithm A { variables x = 1, y \\in {1}; define { d == x } macro m(a) { a := 1 } \
         procedure P(a = 1) variable b; { p: b := a; return; } \
         fair process (Q \\in 1..2) { a:+ while (x > 1) { either m(x) or call P(1); b: with (i = 1) \
         { await i = x; print \"é\" } } } }",
    );
    for (at, _) in whole.char_indices() {
        let _ = translate(&whole[..at], FileId(0), &Options::default());
        let cut = format!("{}*)\n====\n", &whole[..at]);
        let _ = translate(&cut, FileId(0), &Options::default());
        let _ = translation_is_stale(&cut, FileId(0));
    }
}
