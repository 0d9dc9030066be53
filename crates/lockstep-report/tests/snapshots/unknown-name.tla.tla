---- MODULE Lock_TTrace ----
EXTENDS Sequences, TLCExt, Lock, Toolbox, Naturals, TLC

_expression ==
    LET Lock_TEExpression == INSTANCE Lock_TEExpression
    IN Lock_TEExpression!expression
----

_trace ==
    LET Lock_TETrace == INSTANCE Lock_TETrace
    IN Lock_TETrace!trace
----

_inv ==
    TRUE
----

_init ==
----

_next ==
    /\ \E i, j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")

=============================================================================

What the trace shows in place of the variables; change it, or move it to a file
Lock_TEExpression.tla, which is then preferred.

---- MODULE Lock_TEExpression ----
EXTENDS Sequences, TLCExt, Lock, Toolbox, Naturals, TLC

expression ==
    [
        
        \* ,_stateNumber |-> _TEPosition
    ]

=============================================================================

---- MODULE Lock_TETrace ----
EXTENDS Lock, TLC

trace ==
    <<

    >>
----

=============================================================================

---- CONFIG Lock_TTrace ----
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
