----------------------------- MODULE WaveCommit -----------------------------
(* One wave of the ECS. Systems are cut into chunks, any worker runs any     *)
(* chunk at any time, and a chunk writes commands into its own buffer. When  *)
(* the last chunk is done the buffers are merged in the order of their keys  *)
(* (system, chunk, sequence); only then are ids minted and entities freed.   *)
(* A system may crash: its wave then leaves nothing behind. The table of     *)
(* slots doubles when it is full, up to a limit; a commit that needs more    *)
(* is refused as a whole.                                                    *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  Workers,
  Chunks,     \* keys of chunks, numbers in their order
  Program,    \* [Chunks -> sequences of commands]
  Crashing,   \* chunks whose system fails
  Limit,      \* slots there may be
  Mutant

VARIABLES
  todo,     \* chunks not yet taken
  hand,     \* per worker, the chunk it runs; 0 is none
  buffer,   \* per chunk, the commands written so far
  order,    \* the order in which chunks were finished
  alive,    \* the entities that live: a set of <<index, generation>>
  free,     \* free indices, used from the end
  gens,     \* the generation of each index
  minted,   \* the ids given out in this wave, in order
  phase,    \* "run", "commit", "done"
  failed    \* the chunk whose failure is reported, or Full; 0 is none

vars == <<todo, hand, buffer, order, alive, free, gens, minted, phase, failed>>
Start == {<<1, 0>>, <<2, 0>>}
Full == 99

Commands == [c \in Chunks |-> CASE c = 1 -> <<"spawn", "kill">>
                                [] c = 2 -> <<"kill", "spawn">>
                                [] OTHER -> <<"spawn", "spawn", "kill", "spawn">>]

Init ==
  /\ todo = Chunks
  /\ hand = [w \in Workers |-> 0]
  /\ buffer = [c \in Chunks |-> <<>>]
  /\ order = <<>>
  /\ alive = Start /\ free = <<>> /\ gens = [i \in 1..6 |-> 0]
  /\ minted = <<>>
  /\ phase = "run" /\ failed = 0

Take(w) == \E c \in todo :
  /\ phase = "run" /\ hand[w] = 0
  /\ hand' = [hand EXCEPT ![w] = c]
  /\ todo' = todo \ {c}
  /\ UNCHANGED <<buffer, order, alive, free, gens, minted, phase, failed>>

Fails(c) == c \in Crashing /\ Len(buffer[c]) = 1

Write(w) ==
  LET c == hand[w] IN
  /\ c # 0 /\ ~Fails(c) /\ Len(buffer[c]) < Len(Program[c])
  /\ buffer' = [buffer EXCEPT ![c] = Append(@, Program[c][Len(@) + 1])]
  /\ UNCHANGED <<todo, hand, order, alive, free, gens, minted, phase, failed>>

Stop(w) ==
  LET c == hand[w] IN
  /\ c # 0 /\ (Fails(c) \/ Len(buffer[c]) = Len(Program[c]))
  /\ hand' = [hand EXCEPT ![w] = 0]
  /\ order' = Append(order, c)
  \* Of several failures the smallest key is reported, whichever came first.
  /\ failed' = IF Fails(c) /\ (failed = 0 \/ (c < failed /\ Mutant # "first-failure-wins"))
               THEN c ELSE failed
  /\ UNCHANGED <<todo, buffer, alive, free, gens, minted, phase>>

AllIn == todo = {} /\ \A w \in Workers : hand[w] = 0

RECURSIVE Sorted(_)
Sorted(S) == IF S = {} THEN <<>>
             ELSE LET least == CHOOSE c \in S : \A d \in S : c <= d
                  IN <<least>> \o Sorted(S \ {least})
RECURSIVE Concat(_)
Concat(cs) == IF cs = <<>> THEN <<>> ELSE buffer[Head(cs)] \o Concat(Tail(cs))

Merged == IF Mutant = "merge-as-finished" THEN Concat(order) ELSE Concat(Sorted(Chunks))

\* The effect of commands on <<alive, free, gens, minted>>. "kill" takes the oldest entity.
Oldest(S) == CHOOSE e \in S : \A f \in S : e[1] < f[1] \/ (e[1] = f[1] /\ e[2] <= f[2])
Unused(s) == CHOOSE i \in 1..6 : /\ \A e \in s.alive : e[1] # i
                                 /\ \A k \in DOMAIN s.free : s.free[k] # i
                                 /\ \A j \in 1..(i - 1) : (\E e \in s.alive : e[1] = j)
                                                          \/ (\E k \in DOMAIN s.free : s.free[k] = j)
RECURSIVE Apply(_, _)
Apply(cs, s) ==
  IF cs = <<>> THEN s
  ELSE LET fromFree == s.free # <<>>
           index == IF fromFree THEN s.free[Len(s.free)] ELSE Unused(s)
           id == <<index, s.gens[index]>>
           \* The table doubles; what it held stays.
           grown == IF index <= s.room THEN s
                    ELSE [s EXCEPT !.room = 2 * @,
                                   !.gens = IF Mutant = "grow-afresh" THEN [i \in 1..6 |-> 0] ELSE @]
           spawned == IF index > Limit THEN [s EXCEPT !.full = TRUE] ELSE
                      [grown EXCEPT !.alive = @ \cup {id}, !.minted = Append(@, id),
                                !.free = IF fromFree THEN SubSeq(@, 1, Len(@) - 1) ELSE @]
           dead == Oldest(s.alive)
           killed == [s EXCEPT !.alive = @ \ {dead}, !.free = Append(@, dead[1]),
                               !.gens[dead[1]] = IF Mutant = "keep-the-generation" THEN @ ELSE @ + 1]
       IN Apply(Tail(cs), IF Head(cs) = "spawn" THEN spawned
                          ELSE IF s.alive = {} THEN s ELSE killed)

Result(cs) == Apply(cs, [alive |-> Start, free |-> <<>>, gens |-> [i \in 1..6 |-> 0],
                         minted |-> <<>>, room |-> 3, full |-> FALSE])

Commit ==
  /\ phase = "run"
  /\ AllIn \/ (Mutant = "commit-before-the-last" /\ todo = {})
  /\ phase' = "done"
  /\ LET r == Result(Merged)
         refused == failed # 0 \/ (r.full /\ Mutant # "half-a-commit")
     IN /\ failed' = IF failed = 0 /\ r.full THEN Full ELSE failed
        /\ IF refused
           THEN UNCHANGED <<alive, free, gens, minted>>
           ELSE alive' = r.alive /\ free' = r.free /\ gens' = r.gens /\ minted' = r.minted
  /\ UNCHANGED <<todo, hand, buffer, order>>

Next == (phase = "run" /\ ((\E w \in Workers : Take(w) \/ Write(w) \/ Stop(w)) \/ Commit))
        \/ (phase = "done" /\ UNCHANGED vars)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* What one thread gives.
RECURSIVE Whole(_)
Whole(cs) == IF cs = <<>> THEN <<>> ELSE Program[Head(cs)] \o Whole(Tail(cs))
Serial == Result(Whole(Sorted(Chunks)))
Least(S) == CHOOSE c \in S : \A d \in S : c <= d

AsOneThread ==
  phase = "done" =>
    IF Crashing = {} /\ ~Serial.full
    THEN alive = Serial.alive /\ minted = Serial.minted /\ free = Serial.free /\ failed = 0
    ELSE alive = Start /\ minted = <<>> /\ free = <<>>
         /\ failed = IF Crashing = {} THEN Full ELSE Least(Crashing)
\* No id is given out twice.
IdsAreNew == /\ \A i, j \in DOMAIN minted : i # j => minted[i] # minted[j]
             /\ \A i \in DOMAIN minted : minted[i] \notin Start
Ends == <>(phase = "done")
=============================================================================
