---- MODULE Market ----
EXTENDS Bags, Naturals, FiniteSets
VARIABLE stock
Goods == {"apple", "pear"}
Init == stock = EmptyBag
Buy == \E g \in Goods : BagCardinality(stock) < 4 /\ stock' = stock (+) SetToBag({g})
Sell == \E g \in BagToSet(stock) : stock' = stock (-) SetToBag({g})
Next == Buy \/ Sell
Count == CopiesIn("apple", stock) <= 4 /\ (stock = EmptyBag \/ IsABag(stock))
====
