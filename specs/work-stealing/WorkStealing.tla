---------------------------- MODULE WorkStealing ----------------------------
(* Range stealing of lockstep-runtime. Every worker owns a range of items in *)
(* one word. It takes items from the front by compare-and-swap; a worker     *)
(* with nothing left takes the rear half of the richest peer's range, also   *)
(* by compare-and-swap, and installs it as its own. It asks again while any  *)
(* peer has two items or more, and stops when none has.                      *)
EXTENDS Naturals, FiniteSets

CONSTANTS Workers, Items, Mutant

VARIABLES
  range,   \* each worker's <<next, end>>
  state,   \* "run", "look", "steal", "stopped"
  victim,  \* whom the thief looked at, and the word it saw
  loot,    \* items taken but not yet run or installed
  runs     \* how often each item was run

vars == <<range, state, victim, loot, runs>>
N == Cardinality(Workers)

Left(w) == range[w][2] - range[w][1]
Nobody == [who |-> {}, word |-> <<0, 0>>]

\* Items are cut evenly at first; `start` orders the workers.
Init ==
  /\ \E start \in [Workers -> 1..N] :
       /\ \A v, w \in Workers : v # w => start[v] # start[w]
       /\ range = [w \in Workers |->
            <<((start[w] - 1) * Items) \div N, (start[w] * Items) \div N>>]
  /\ state = [w \in Workers |-> "run"]
  /\ victim = [w \in Workers |-> Nobody]
  /\ loot = [w \in Workers |-> {}]
  /\ runs = [i \in 0..(Items - 1) |-> 0]

Take(w) ==
  /\ state[w] = "run" /\ loot[w] = {} /\ Left(w) > 0
  /\ range' = [range EXCEPT ![w][1] = @ + 1]
  /\ loot' = [loot EXCEPT ![w] = {range[w][1]}]
  /\ UNCHANGED <<state, victim, runs>>

Run(w) ==
  /\ state[w] = "run" /\ loot[w] # {}
  /\ \E i \in loot[w] :
       /\ runs' = [runs EXCEPT ![i] = @ + 1]
       /\ loot' = [loot EXCEPT ![w] = {}]
  /\ UNCHANGED <<range, state, victim>>

Dry(w) ==
  /\ state[w] = "run" /\ loot[w] = {} /\ Left(w) = 0
  /\ state' = [state EXCEPT ![w] = "look"]
  /\ UNCHANGED <<range, victim, loot, runs>>

Rich(v) == Left(v) >= 2 /\ \A u \in Workers : Left(u) <= Left(v)

Look(w) ==
  /\ state[w] = "look"
  /\ IF \E v \in Workers \ {w} : Left(v) >= 2
     THEN \E v \in Workers \ {w} :
            /\ Rich(v)
            /\ victim' = [victim EXCEPT ![w] = [who |-> {v}, word |-> range[v]]]
            /\ state' = [state EXCEPT ![w] = "steal"]
     ELSE state' = [state EXCEPT ![w] = "stopped"] /\ UNCHANGED victim
  /\ UNCHANGED <<range, loot, runs>>

Steal(w) ==
  /\ state[w] = "steal"
  /\ \E v \in victim[w].who :
       LET from == victim[w].word[1]
           to == victim[w].word[2]
           cut == to - (to - from) \div 2
           swapped == Mutant = "store-instead-of-swap" \/ range[v] = victim[w].word
       IN IF swapped
          THEN /\ range' = [range EXCEPT ![v] = <<from, cut>>,
                                         ![w] = IF Mutant = "forget-the-loot" THEN @
                                                ELSE <<cut, to>>]
               /\ state' = [state EXCEPT ![w] = "run"]
          ELSE state' = [state EXCEPT ![w] = "look"] /\ UNCHANGED range
  /\ victim' = [victim EXCEPT ![w] = Nobody]
  /\ UNCHANGED <<loot, runs>>

Step(w) == Take(w) \/ Run(w) \/ Dry(w) \/ Look(w) \/ Steal(w)
AllStopped == \A w \in Workers : state[w] = "stopped"
Next == (\E w \in Workers : Step(w)) \/ (AllStopped /\ UNCHANGED vars)
Spec == Init /\ [][Next]_vars /\ \A w \in Workers : WF_vars(Step(w))

OnceAtMost == \A i \in DOMAIN runs : runs[i] <= 1
AllAtTheEnd == AllStopped => \A i \in DOMAIN runs : runs[i] = 1
Ends == <>AllStopped
=============================================================================
