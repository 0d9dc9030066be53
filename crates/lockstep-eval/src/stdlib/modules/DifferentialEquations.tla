----------------------- MODULE DifferentialEquations ------------------------
\* Solutions of differential equations. For parsing: nothing can be computed.
LOCAL INSTANCE Reals
LOCAL INSTANCE Sequences

Integrate(D, a, b, InitVals) ==
  CHOOSE final : final \in [1 .. Len(InitVals) -> Real]
=============================================================================
