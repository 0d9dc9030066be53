------------------------------- MODULE ShiViz -------------------------------
\* Host and vector clock of each step of a trace, for the ShiViz visualiser.
LOCAL INSTANCE Integers
LOCAL INSTANCE Json
LOCAL INSTANCE TLC

INSTANCE Toolbox

LOCAL Hosts ==
  LET host[i \in DOMAIN _TETrace] ==
        IF i = 1 THEN "--"
        ELSE LET before == _TETrace[i - 1].pc
                 after == _TETrace[i].pc
             IN  IF before = after THEN host[i - 1]
                 ELSE CHOOSE p \in DOMAIN before : before[p] # after[p]
  IN  TLCEval(host)
Host == Hosts[_TEPosition]

LOCAL Clocks ==
  LET clock[i \in DOMAIN _TETrace] ==
        [p \in DOMAIN _TETrace[i].pc |->
           IF i = 1 THEN 0 ELSE clock[i - 1][p] + (IF p = Hosts[i] THEN 1 ELSE 0)]
  IN  TLCEval(clock)
Clock == ToJsonObject(Clocks[_TEPosition])
=============================================================================
