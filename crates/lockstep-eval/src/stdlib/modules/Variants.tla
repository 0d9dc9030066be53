------------------------------ MODULE Variants ------------------------------
\* Tagged values: functions from one tag to the value.
UNIT == "U_OF_UNIT"
Variant(__tagName, __value) == [__tag \in {__tagName} |-> __value]
VariantFilter(__tagName, __S) ==
  {__v[__tagName] : __v \in {__w \in __S : __tagName \in DOMAIN __w}}
VariantTag(__variant) == CHOOSE __tag \in DOMAIN __variant : TRUE
VariantGetOrElse(__tagName, __variant, __defaultValue) ==
  IF __tagName \notin DOMAIN __variant THEN __defaultValue ELSE __variant[__tagName]
VariantGetUnsafe(__tagName, __variant) == __variant[__tagName]
=============================================================================
