------------------------------- MODULE Fence -------------------------------
(* The fence of lockstep-runtime: a caller publishes a round of work, every  *)
(* worker runs it once, and the caller goes on when all have.                *)
(*                                                                           *)
(* Waiting is "look, then park". A parked thread is woken by a token that    *)
(* stays until it is taken, so a wake that comes between the look and the    *)
(* park is not lost. Parked threads may also wake for no reason.             *)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Workers,        \* the threads besides the caller
  Rounds,         \* how many rounds the caller publishes
  SpuriousWakes,  \* whether threads may wake for no reason
  Mutant          \* "none", or the mistake to make

VARIABLES
  epoch,      \* the round published last
  remaining,  \* workers that have not finished it
  worker,     \* what each worker does
  seen,       \* the round each worker ran last
  token,      \* whether a wake is waiting for the worker
  ran,        \* how many rounds each worker has run
  caller,     \* what the caller does
  wake        \* whether a wake is waiting for the caller

vars == <<epoch, remaining, worker, seen, token, ran, caller, wake>>

Init ==
  /\ epoch = 0 /\ remaining = 0
  /\ worker = [w \in Workers |-> "look"]
  /\ seen = [w \in Workers |-> 0]
  /\ token = [w \in Workers |-> FALSE]
  /\ ran = [w \in Workers |-> 0]
  /\ caller = "between"
  /\ wake = FALSE

\* The caller -----------------------------------------------------------------
Publish(from, to) ==
  /\ caller = from
  /\ epoch' = epoch + 1 /\ remaining' = Cardinality(Workers)
  /\ caller' = to
  /\ UNCHANGED <<worker, seen, token, ran, wake>>

Notify(from, to) ==
  /\ caller = from
  /\ token' = [w \in Workers |-> TRUE]
  /\ caller' = to
  /\ UNCHANGED <<epoch, remaining, worker, seen, ran, wake>>

Start ==
  IF Mutant = "notify-before-publish"
  THEN \/ epoch < Rounds /\ Notify("between", "publish")
       \/ Publish("publish", "look")
  ELSE \/ epoch < Rounds /\ Publish("between", "notify")
       \/ Notify("notify", "look")

CallerLook ==
  /\ caller = "look"
  /\ caller' = IF remaining = 0 THEN "between" ELSE "park"
  /\ UNCHANGED <<epoch, remaining, worker, seen, token, ran, wake>>

\* A thread that wakes looks again; the mutant believes the wake.
Woken == IF Mutant = "trust-the-wake" THEN "between" ELSE "look"

CallerPark ==
  /\ caller = "park"
  /\ IF wake THEN wake' = FALSE /\ caller' = Woken ELSE caller' = "parked" /\ UNCHANGED wake
  /\ UNCHANGED <<epoch, remaining, worker, seen, token, ran>>

CallerWake ==
  /\ caller = "parked" /\ wake
  /\ wake' = FALSE /\ caller' = Woken
  /\ UNCHANGED <<epoch, remaining, worker, seen, token, ran>>

CallerSpurious ==
  /\ SpuriousWakes /\ caller = "parked"
  /\ caller' = Woken
  /\ UNCHANGED <<epoch, remaining, worker, seen, token, ran, wake>>

\* A worker -------------------------------------------------------------------
Look(w) ==
  /\ worker[w] = "look"
  /\ IF epoch # seen[w]
     THEN worker' = [worker EXCEPT ![w] = "work"] /\ seen' = [seen EXCEPT ![w] = epoch]
     ELSE worker' = [worker EXCEPT ![w] = "park"] /\ UNCHANGED seen
  /\ UNCHANGED <<epoch, remaining, token, ran, caller, wake>>

Work(w) ==
  /\ worker[w] = "work"
  /\ ran' = [ran EXCEPT ![w] = @ + 1]
  /\ remaining' = remaining - 1
  /\ wake' = (wake \/ remaining' = 0)
  /\ worker' = [worker EXCEPT ![w] = "look"]
  /\ UNCHANGED <<epoch, seen, token, caller>>

Park(w) ==
  /\ worker[w] = "park"
  /\ IF token[w]
     THEN token' = [token EXCEPT ![w] = FALSE] /\ worker' = [worker EXCEPT ![w] = "look"]
     ELSE worker' = [worker EXCEPT ![w] = "parked"] /\ UNCHANGED token
  /\ UNCHANGED <<epoch, remaining, seen, ran, caller, wake>>

Wake(w) ==
  /\ worker[w] = "parked" /\ token[w]
  /\ token' = [token EXCEPT ![w] = FALSE]
  /\ worker' = [worker EXCEPT ![w] = "look"]
  /\ UNCHANGED <<epoch, remaining, seen, ran, caller, wake>>

Spurious(w) ==
  /\ SpuriousWakes /\ worker[w] = "parked"
  /\ worker' = [worker EXCEPT ![w] = "look"]
  /\ UNCHANGED <<epoch, remaining, seen, token, ran, caller, wake>>

Finished == caller = "between" /\ epoch = Rounds
Idle == Finished /\ (\A w \in Workers : worker[w] = "parked") /\ UNCHANGED vars

CallerStep == Start \/ CallerLook \/ CallerPark \/ CallerWake
WorkerStep(w) == Look(w) \/ Work(w) \/ Park(w) \/ Wake(w)
Next ==
  \/ CallerStep \/ CallerSpurious \/ Idle
  \/ \E w \in Workers : WorkerStep(w) \/ Spurious(w)

Spec == Init /\ [][Next]_vars /\ WF_vars(CallerStep) /\ \A w \in Workers : WF_vars(WorkerStep(w))

\* What must hold -------------------------------------------------------------
TypeOK ==
  /\ epoch \in 0..Rounds /\ remaining \in 0..Cardinality(Workers)
  /\ worker \in [Workers -> {"look", "work", "park", "parked"}]
  /\ seen \in [Workers -> 0..Rounds] /\ ran \in [Workers -> 0..Rounds]
  /\ caller \in {"between", "publish", "notify", "look", "park", "parked"}

\* The caller goes on only when every worker has run every round, each once.
AllHaveRun == caller = "between" => \A w \in Workers : ran[w] = epoch

Ends == <>Finished
=============================================================================
