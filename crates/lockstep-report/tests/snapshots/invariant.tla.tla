---- MODULE Lock_TTrace ----
EXTENDS Sequences, TLCExt, Lock, Lock_TEConstants, Toolbox, Naturals, TLC

_expression ==
    LET Lock_TEExpression == INSTANCE Lock_TEExpression
    IN Lock_TEExpression!expression
----

_trace ==
    LET Lock_TETrace == INSTANCE Lock_TETrace
    IN Lock_TETrace!trace
----

_inv ==
    ~(
        TLCGet("level") = Len(_TETrace)
        /\
        pc = ((p1 :> "in" @@ p2 :> "in"))
        /\
        owner = ({p1, p2})
        /\
        log = (<<"a</b>\"\n">>)
    )
----

_init ==
    /\ pc    = _TETrace[1].pc
    /\ owner = _TETrace[1].owner
    /\ log   = _TETrace[1].log
----

_next ==
    /\ \E i, j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ pc     = _TETrace[i].pc
        /\ pc'    = _TETrace[j].pc
        /\ owner  = _TETrace[i].owner
        /\ owner' = _TETrace[j].owner
        /\ log    = _TETrace[i].log
        /\ log'   = _TETrace[j].log

=============================================================================

What the trace shows in place of the variables; change it, or move it to a file
Lock_TEExpression.tla, which is then preferred.

---- MODULE Lock_TEExpression ----
EXTENDS Sequences, TLCExt, Lock, Lock_TEConstants, Toolbox, Naturals, TLC

expression ==
    [
        pc |-> pc
        ,owner |-> owner
        ,log |-> log
        \* ,_stateNumber |-> _TEPosition
    ]

=============================================================================

---- MODULE Lock_TETrace ----
EXTENDS Lock, Lock_TEConstants, TLC

trace ==
    <<
    ([pc |-> (p1 :> "idle" @@ p2 :> "idle"),owner |-> {},log |-> <<"a</b>\"\n">>]),
    ([pc |-> (p1 :> "in" @@ p2 :> "idle"),owner |-> {p1},log |-> <<"a</b>\"\n">>]),
    ([pc |-> (p1 :> "in" @@ p2 :> "in"),owner |-> {p1, p2},log |-> <<"a</b>\"\n">>])
    >>
----

=============================================================================

---- MODULE Lock_TEConstants ----
EXTENDS Lock

CONSTANTS p1, p2

=============================================================================

---- CONFIG Lock_TTrace ----
CONSTANTS
    Proc = {p1, p2}
    p1 = p1
    p2 = p2

INVARIANT
    _inv

CHECK_DEADLOCK
    FALSE

INIT
    _init

NEXT
    _next

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
