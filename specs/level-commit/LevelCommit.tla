---------------------------- MODULE LevelCommit -----------------------------
(* The end of a breadth-first level. Workers expand the states of the level  *)
(* in any order and propose themselves as the parent of what they reach.     *)
(* What is recorded must not depend on that order: the smallest parent of    *)
(* the level before wins, and of several violations the smallest is told.    *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Workers,
  Edges,   \* the graph: a set of <<from, to>>, states are numbers
  Bad,     \* states that break an invariant
  Mutant

VARIABLES
  level,     \* the states of the level
  todo,      \* those not yet taken by a worker
  hand,      \* per worker, the edges it still has to follow
  parent,    \* what is recorded of each reached state; 0 is none
  next,      \* the states first reached from this level
  told       \* the violation reported; 0 is none

vars == <<level, todo, hand, parent, next, told>>
States == UNION {{e[1], e[2]} : e \in Edges}
Small == {<<1, 2>>, <<1, 3>>, <<2, 4>>, <<3, 4>>, <<2, 5>>, <<3, 5>>, <<5, 6>>, <<4, 6>>, <<6, 1>>}

Init ==
  /\ level = {1} /\ todo = {1}
  /\ hand = [w \in Workers |-> {}]
  /\ parent = [s \in States |-> IF s = 1 THEN 1 ELSE 0]
  /\ next = {} /\ told = 0

Take(w) == \E s \in todo :
  /\ hand[w] = {}
  /\ todo' = todo \ {s}
  /\ hand' = [hand EXCEPT ![w] = {e \in Edges : e[1] = s}]
  /\ UNCHANGED <<level, parent, next, told>>

Smaller(a, b) == IF b = 0 \/ a < b THEN a ELSE b

Follow(w) == \E e \in hand[w] :
  LET s == e[1]
      t == e[2]
      isNew == parent[t] = 0
  IN /\ hand' = [hand EXCEPT ![w] = @ \ {e}]
     /\ next' = IF isNew THEN next \cup {t} ELSE next
     /\ parent' = IF isNew THEN [parent EXCEPT ![t] = s]
                  ELSE IF t \in next /\ Mutant # "first-parent-wins"
                  THEN [parent EXCEPT ![t] = Smaller(s, @)]
                  ELSE parent
     /\ UNCHANGED <<level, todo, told>>

Quiet == IF Mutant = "commit-before-the-last" THEN todo = {}
         ELSE todo = {} /\ \A w \in Workers : hand[w] = {}

Least(S) == CHOOSE s \in S : \A t \in S : s <= t

Commit ==
  /\ Quiet /\ told = 0 /\ next # {}
  /\ level' = next /\ todo' = next /\ next' = {}
  /\ told' = IF next \cap Bad = {} THEN 0 ELSE Least(next \cap Bad)
  /\ UNCHANGED <<hand, parent>>

Finished == told # 0 \/ (Quiet /\ next = {})
Next == (~Finished /\ ((\E w \in Workers : Take(w) \/ Follow(w)) \/ Commit))
        \/ (Finished /\ UNCHANGED vars)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* What one worker would record, whatever it does first.
RECURSIVE Distance(_, _)
Distance(S, s) == IF s \in S THEN 0
                  ELSE 1 + Distance(S \cup {e[2] : e \in {x \in Edges : x[1] \in S}}, s)
Parents(t) == {e[1] : e \in {x \in Edges : x[2] = t /\ Distance({1}, x[1]) + 1 = Distance({1}, t)}}
Right(t) == t = 1 \/ parent[t] = Least(Parents(t))

\* Once a level is committed, its parents are the smallest.
ParentsFixed == \A t \in level : Right(t)
ToldFixed == told # 0 => told = Least({s \in Bad : \A b \in Bad : Distance({1}, s) <= Distance({1}, b)})
\* A search that ends without a violation has reached everything.
Complete == Finished /\ told = 0 => \A s \in States : parent[s] # 0
Ends == <>Finished
=============================================================================
