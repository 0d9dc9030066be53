//! The tables are consistent with the modules' text.

use std::collections::BTreeSet;

use super::*;

#[test]
fn no_operator_has_two_rows() {
    let mut seen = BTreeSet::new();
    for it in natives() {
        assert!(seen.insert((it.module, it.name, it.params.len())), "{} {}", it.module, it.name);
    }
    assert!(seen.len() > 100);
}

#[test]
fn every_native_stands_in_its_module() {
    for it in natives() {
        let text = module_source(it.module).expect(it.module);
        let symbol = match it.name {
            "\\leq" => "<=",
            "\\geq" => ">=",
            "\\oplus" => "(+)",
            "\\ominus" => "(-)",
            "-." => "-. a",
            name => name,
        };
        let defined = text.lines().any(|line| {
            line.contains("==")
                && (line.starts_with(&format!("{symbol}("))
                    || line.starts_with(&format!("{symbol} "))
                    || line.starts_with(symbol)
                    || line.contains(&format!(" {symbol} ")))
        });
        assert!(defined, "{}!{} is not defined", it.module, it.name);
    }
}

#[test]
fn infix_operators_are_found_by_any_spelling() {
    for (name, arity) in [("=<", 2), ("<=", 2), ("\\leq", 2), ("-.", 1), ("÷", 2)] {
        let module = if arity == 1 { "Integers" } else { "Naturals" };
        assert!(native(module, name, arity).is_some(), "{name}");
    }
    assert!(native("Sequences", "\\circ", 2).is_some());
    assert!(native("Bags", "(+)", 2).is_some());
}

#[test]
fn texts_hold_the_module_they_are_named_for() {
    for (name, text) in MODULES {
        assert!(text.contains(&format!("MODULE {name} ")), "{name}");
        assert!(text.trim_end().ends_with("===="), "{name}");
    }
}
