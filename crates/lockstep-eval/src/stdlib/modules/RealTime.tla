------------------------------ MODULE RealTime ------------------------------
\* Real-time bounds on actions, after chapter 9 of "Specifying Systems".
EXTENDS Reals

VARIABLE now

RTBound(A, v, D, E) ==
  LET Restart(t) == t' = IF <<A>>_v \/ ~(ENABLED <<A>>_v)' THEN 0 ELSE t + (now' - now)
      Timer(t) == t = 0 /\ [][Restart(t)]_<<t, v, now>>
      Soon(t) == [](t <= E)
      NotBefore(t) == [][A => t >= D]_v
  IN  \EE t : Timer(t) /\ Soon(t) /\ NotBefore(t)

RTnow(v) ==
  LET Tick == now' \in {r \in Real : r > now} /\ UNCHANGED v
  IN  /\ now \in Real
      /\ [][Tick]_now
      /\ \A r \in Real : WF_now(Tick /\ (now' > r))
=============================================================================
