------------------------------ MODULE Toolbox -------------------------------
\* The trace under inspection, for expressions over traces.
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

_TETrace == CHOOSE trace : TRUE
LOCAL _TETraceLength == Cardinality(DOMAIN _TETrace)
_TEPosition ==
  IF TLCGet("level") > _TETraceLength THEN _TETraceLength ELSE TLCGet("level")
=============================================================================
