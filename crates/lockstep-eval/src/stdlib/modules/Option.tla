------------------------------- MODULE Option -------------------------------
\* Values that may be missing, as variants.
EXTENDS Apalache, Variants

Some(__x) == Variant("Some", __x)
None == Variant("None", UNIT)
IsSome(__o) == VariantTag(__o) = "Some"
IsNone(__o) == VariantTag(__o) = "None"
OptionCase(__o, __caseSome(_), __caseNone(_)) ==
  IF IsNone(__o) THEN __caseNone(UNIT) ELSE __caseSome(VariantGetUnsafe("Some", __o))
OptionMap(__f(_), __o) ==
  OptionCase(__o, LAMBDA __x : Some(__f(__x)), LAMBDA __u : None)
OptionFlatMap(__f(_), __o) == OptionCase(__o, __f, LAMBDA __u : None)
OptionGetOrElse(__o, __default) ==
  OptionCase(__o, LAMBDA __x : __x, LAMBDA __u : __default)
OptionToSeq(__o) == OptionCase(__o, LAMBDA __x : <<__x>>, LAMBDA __u : <<>>)
OptionToSet(__o) == OptionCase(__o, LAMBDA __x : {__x}, LAMBDA __u : {})
OptionGuess(__s) == IF __s = {} THEN None ELSE Some(CHOOSE __x \in __s : TRUE)
OptionFunApp(__f, __o) == OptionMap(LAMBDA __x : __f[__x], __o)
OptionPartialFun(__f, __undefined) ==
  [__x \in DOMAIN __f \cup __undefined |->
     IF __x \in __undefined THEN None ELSE Some(__f[__x])]
=============================================================================
