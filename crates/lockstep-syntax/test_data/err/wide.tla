---- MODULE wide ----
A ≜ "∀ → ⟨" ∧ (∃ x ∈ S : ⟨x, y⟩ ∈ T
B ≜ a ∧ b ∨ c
====
