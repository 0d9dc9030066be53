----------------------------- MODULE _Possible ------------------------------
\* Counts how often named expressions held, for the _POSSIBLE statement.
LOCAL INSTANCE TLC
LOCAL INSTANCE TLCExt
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

LOCAL Key == "s:_possible"
LOCAL Of(counts, name) == IF name \in DOMAIN counts THEN counts[name] ELSE 0

_Track(expr, name) ==
  LET counts == TLCGetOrDefault(Key, <<>>)
      now == Of(counts, name) + (IF expr THEN 1 ELSE 0)
  IN  TLCSet(Key, (name :> now) @@ counts)

_Counts ==
  LET workers == TLCGet("all:named")[Key]
      sum[i \in 0 .. Len(workers)] ==
        IF i = 0 THEN <<>>
        ELSE [name \in DOMAIN sum[i - 1] \cup DOMAIN workers[i] |->
                Of(sum[i - 1], name) + Of(workers[i], name)]
  IN  sum[Len(workers)]

_CheckName(name) == Of(_Counts, name) > 0 \/ (PrintT(_Counts) /\ FALSE)
_PrintCounts == PrintT(_Counts)
=============================================================================
