//! What options, and comments of any script, make of an algorithm.

use expect_test::expect;

use super::check;

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
