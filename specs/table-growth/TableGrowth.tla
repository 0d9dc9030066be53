---------------------------- MODULE TableGrowth -----------------------------
(* The safepoint at which the fingerprint table grows. Workers insert the    *)
(* successors of their states. One that would overfill the table asks for    *)
(* growth *before* the insert; every worker stops at its next insert, all    *)
(* move blocks of the old table to a table twice as large, and each resumes  *)
(* at exactly the successor it had in hand.                                  *)
EXTENDS Naturals, FiniteSets, Sequences

CONSTANTS
  Workers,
  Keys,       \* [Workers -> sequences of keys]
  Capacity,   \* slots at first
  Mutant

VARIABLES
  table,     \* keys in the current table
  old,       \* keys of the old table not yet moved
  slots,     \* slots of the current table
  growing,   \* whether a worker has asked for growth
  at,        \* the index of each worker's successor in hand
  state,     \* "run", "paused", "done"
  fresh      \* per worker, the keys that it found to be new

vars == <<table, old, slots, growing, at, state, fresh>>

One == [w \in Workers |-> <<1, 2, 3, 4>>]
ByWorker == CHOOSE k \in [Workers -> {<<1, 2, 3, 4>>, <<3, 4, 5, 6>>}] :
              \E v, w \in Workers : k[v] # k[w]

Init ==
  /\ table = {} /\ old = {} /\ slots = Capacity /\ growing = FALSE
  /\ at = [w \in Workers |-> 1]
  /\ state = [w \in Workers |-> "run"]
  /\ fresh = [w \in Workers |-> <<>>]

InHand(w) == Keys[w][at[w]]
Full == 2 * (Cardinality(table) + 1) > slots

Insert(w) ==
  /\ state[w] = "run" /\ at[w] <= Len(Keys[w])
  /\ ~growing \/ Mutant = "insert-while-growing"
  /\ InHand(w) \in table \/ ~Full \/ Mutant = "insert-while-growing"
  /\ table' = table \cup {InHand(w)}
  /\ fresh' = IF InHand(w) \in table THEN fresh
              ELSE [fresh EXCEPT ![w] = Append(@, InHand(w))]
  /\ at' = [at EXCEPT ![w] = @ + 1]
  /\ UNCHANGED <<old, slots, growing, state>>

Ask(w) ==
  /\ state[w] = "run" /\ at[w] <= Len(Keys[w])
  /\ ~growing /\ InHand(w) \notin table /\ Full
  /\ growing' = TRUE
  /\ UNCHANGED <<table, old, slots, at, state, fresh>>

Pause(w) ==
  /\ growing /\ state[w] = "run" /\ at[w] <= Len(Keys[w])
  /\ state' = [state EXCEPT ![w] = "paused"]
  /\ at' = IF Mutant = "resume-at-the-next" THEN [at EXCEPT ![w] = @ + 1] ELSE at
  /\ UNCHANGED <<table, old, slots, growing, fresh>>

Finish(w) ==
  /\ state[w] = "run" /\ at[w] > Len(Keys[w])
  /\ state' = [state EXCEPT ![w] = "done"]
  /\ UNCHANGED <<table, old, slots, growing, at, fresh>>

\* All have stopped: a new table, and the old one to be moved.
Stopped == \A w \in Workers : state[w] # "run"
Swap ==
  /\ growing /\ old = {} /\ (Stopped \/ Mutant = "insert-while-growing")
  /\ Full
  /\ old' = table /\ table' = {} /\ slots' = 2 * slots
  /\ UNCHANGED <<growing, at, state, fresh>>

\* Any worker moves any block (here: a key).
Move == \E k \in old :
  /\ old' = old \ {k}
  /\ table' = table \cup {k}
  /\ UNCHANGED <<slots, growing, at, state, fresh>>

Resume ==
  /\ growing /\ old = {} /\ ~Full
  /\ growing' = FALSE
  /\ state' = [w \in Workers |-> IF state[w] = "paused" THEN "run" ELSE state[w]]
  /\ UNCHANGED <<table, old, slots, at, fresh>>

AllDone == \A w \in Workers : state[w] = "done"
Idle == AllDone /\ ~growing /\ UNCHANGED vars
Next == Swap \/ Move \/ Resume \/ Idle
        \/ \E w \in Workers : Insert(w) \/ Ask(w) \/ Pause(w) \/ Finish(w)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

Elements(seq) == {seq[i] : i \in DOMAIN seq}
All == UNION {Elements(Keys[w]) : w \in Workers}
Found == UNION {Elements(fresh[w]) : w \in Workers}

\* A key is new to one worker, once.
FoundOnce ==
  /\ \A w \in Workers : \A i, j \in DOMAIN fresh[w] : i # j => fresh[w][i] # fresh[w][j]
  /\ \A v, w \in Workers : v # w => Elements(fresh[v]) \cap Elements(fresh[w]) = {}
NothingLost == AllDone => (Found = All /\ table \cup old = All)
NeverFull == Cardinality(table) < slots
Ends == <>AllDone
=============================================================================
