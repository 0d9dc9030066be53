------------------------------- MODULE TLCExt -------------------------------
\* Extensions of module TLC: assertions on errors, traces, caches.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers

AssertEq(a, b) == IF a = b THEN TRUE ELSE PrintT(<<a, b>>) /\ FALSE
AssertError(err, exp) == exp = exp => err \in STRING
TLCGetOrDefault(key, defaultVal) == defaultVal
TLCGetAndSet(key, Op(_, _), val, defaultVal) ==
  LET old == TLCGetOrDefault(key, defaultVal)
  IN  IF TLCSet(key, Op(old, val)) THEN old ELSE old
Trace == <<>>
CounterExample == [action |-> {}, state |-> {}]
ToTrace(CE) ==
  LET numbers == {s[1] : s \in CE.state}
  IN  [n \in numbers |-> (CHOOSE s \in CE.state : s[1] = n)[2]]
TLCModelValue(str) == CHOOSE v : v = str
TLCDefer(expression) == TRUE
TLCNoOp(val) == val
PickSuccessor(exp) == exp \in BOOLEAN
TLCCache(expression, closure) == expression
TLCFP(var) == CHOOSE n \in Int : TRUE
TLCEvalDefinition(definitionName) == CHOOSE v : TRUE
=============================================================================
