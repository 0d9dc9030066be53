----------------------------- MODULE Functions ------------------------------
\* Operators on functions: restriction, range, inverses, folds.
EXTENDS Integers, Folds

Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, Test(_)) == Restrict(f, {d \in DOMAIN f : Test(d)})
RestrictValues(f, Test(_)) == Restrict(f, {d \in DOMAIN f : Test(f[d])})
IsRestriction(narrow, wide) ==
  /\ DOMAIN narrow \subseteq DOMAIN wide
  /\ \A d \in DOMAIN narrow : narrow[d] = wide[d]
Range(f) == {f[d] : d \in DOMAIN f}
Pointwise(f, g, T(_, _)) == [d \in DOMAIN f |-> T(f[d], g[d])]
Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : (t \in Range(f)) => (f[s] = t)]
AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))
IsInjective(f) == \A c, d \in DOMAIN f : (f[c] = f[d]) => (c = d)
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : T \subseteq Range(f)}
Bijection(S, T) == {f \in Injection(S, T) : T \subseteq Range(f)}
ExistsInjection(S, T) == \E f \in [S -> T] : IsInjective(f)
ExistsSurjection(S, T) == \E f \in [S -> T] : T \subseteq Range(f)
ExistsBijection(S, T) == \E f \in [S -> T] : IsInjective(f) /\ T \subseteq Range(f)

FoldFunctionOnSet(op(_, _), base, fun, indices) ==
  MapThenFoldSet(op, base, LAMBDA d : fun[d], LAMBDA D : CHOOSE d \in D : TRUE, indices)
FoldFunction(op(_, _), base, fun) == FoldFunctionOnSet(op, base, fun, DOMAIN fun)
SumFunctionOnSet(fun, indices) == FoldFunctionOnSet(LAMBDA x, y : x + y, 0, fun, indices)
SumFunction(fun) == SumFunctionOnSet(fun, DOMAIN fun)
=============================================================================
