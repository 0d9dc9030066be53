---- MODULE Overrides ----
EXTENDS Integers, Sequences
CONSTANTS Procs, Op(_), Weight, Names
VARIABLE queue
Init == queue = <<>>
Push == \E p \in Procs, n \in Nat : queue' = Append(queue, <<p, Op(n)>>)
Pop == queue # <<>> /\ queue' = Tail(queue)
Next == Push \/ Pop
Short == Len(queue) <= Weight
SmallNat == 0..1
Double(x) == 2 * x
TypeOK == queue \in Seq(Procs \X {0, 2})
====
