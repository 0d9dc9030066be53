------------------------------- MODULE Mail --------------------------------
(***************************************************************************)
(* Messages in one set, told apart by a field. Each action, and each part   *)
(* of an invariant, looks at one kind of them: by \E, \A, CHOOSE, filters,  *)
(* membership, additions and removals.                                      *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS Procs, Max

VARIABLES msgs, owner, seen

vars == <<msgs, owner, seen>>

Send(m) == msgs' = msgs \cup {m}
Answer(m, n) == msgs' = (msgs \ {m}) \cup {n}

Init ==
    /\ msgs = {}
    /\ owner = [p \in Procs |-> 0]
    /\ seen = 0

Ask(p) ==
    /\ owner[p] < Max
    /\ owner' = [owner EXCEPT ![p] = @ + 1]
    /\ Send([kind |-> "ask", from |-> p, nr |-> owner[p]])
    /\ UNCHANGED seen

(* A request turns into a reply. *)
Reply ==
    \E m \in msgs :
        /\ m.kind = "ask"
        /\ ~ [kind |-> "no", nr |-> m.nr] \in msgs
        /\ Answer(m, [kind |-> "yes", from |-> m.from, nr |-> m.nr])
        /\ UNCHANGED <<owner, seen>>

Refuse(n) ==
    LET asked == {m \in msgs : m.kind = "ask" /\ m.nr = n}
    IN  /\ asked # {}
        /\ msgs' = {[kind |-> "no", nr |-> n]} \cup (msgs \ asked)
        /\ UNCHANGED <<owner, seen>>

See ==
    LET last == CHOOSE m \in msgs : m.kind = "yes"
    IN  /\ \E m \in msgs : m.kind = "yes"
        /\ seen' = last.nr + 1
        /\ msgs' = msgs \ {last}
        /\ UNCHANGED owner

(* Everything but refusals is lost: the set is written as a whole. *)
Lose ==
    /\ seen > 0
    /\ msgs' = {m \in msgs : m.kind = "no"}
    /\ seen' = 0
    /\ UNCHANGED owner

Next == (\E p \in Procs : Ask(p)) \/ Reply \/ (\E n \in 0..Max : Refuse(n)) \/ See \/ Lose

Spec == Init /\ [][Next]_vars

Kinds ==
    /\ \A m \in msgs : m.kind = "ask" => m.nr < owner[m.from]
    /\ \A m \in msgs : "yes" = m.kind => m.from \in Procs
    /\ \A m \in msgs : m.kind \in {"ask", "yes", "no"}
    /\ Cardinality(msgs) = Cardinality({m \in msgs : m.kind = "ask"})
                         + Cardinality({m \in msgs : m.kind = "yes"})
                         + Cardinality({m \in msgs : m.kind = "no"})

Message == [kind : {"ask", "yes"}, from : Procs, nr : 0..Max] \cup [kind : {"no"}, nr : 0..Max]
TypeOK == msgs \subseteq Message /\ msgs \in SUBSET Message

(* False: the second question of a process, answered, has number 1. *)
Early == msgs \in SUBSET ([kind : {"ask"}, from : Procs, nr : 0..Max]
                          \cup [kind : {"yes"}, from : Procs, nr : {0}] \cup [kind : {"no"}, nr : 0..Max])

(* False: a refusal does not keep a reply that is under way from arriving. *)
Settled == \A n \in 0..Max :
    [kind |-> "no", nr |-> n] \in msgs => ~ \E m \in msgs : m.kind = "yes" /\ m.nr = n
=============================================================================
