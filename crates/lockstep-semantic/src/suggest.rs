//! Guesses at what a mistyped or unimported name was meant to be.

use lockstep_syntax::ast::Name;

/// Operators of the standard modules with the module to extend.
const EXPORTED: &[(&str, &str)] = &[
    ("Nat", "Naturals"),
    ("+", "Naturals"),
    ("-", "Naturals"),
    ("*", "Naturals"),
    ("^", "Naturals"),
    ("<", "Naturals"),
    (">", "Naturals"),
    ("\\leq", "Naturals"),
    ("\\geq", "Naturals"),
    ("%", "Naturals"),
    ("\\div", "Naturals"),
    ("..", "Naturals"),
    ("Int", "Integers"),
    ("-.", "Integers"),
    ("Real", "Reals"),
    ("/", "Reals"),
    ("Infinity", "Reals"),
    ("Seq", "Sequences"),
    ("Len", "Sequences"),
    ("\\o", "Sequences"),
    ("Append", "Sequences"),
    ("Head", "Sequences"),
    ("Tail", "Sequences"),
    ("SubSeq", "Sequences"),
    ("SelectSeq", "Sequences"),
    ("IsFiniteSet", "FiniteSets"),
    ("Cardinality", "FiniteSets"),
    ("EmptyBag", "Bags"),
    ("SetToBag", "Bags"),
    ("BagToSet", "Bags"),
    ("BagIn", "Bags"),
    ("\\oplus", "Bags"),
    ("\\ominus", "Bags"),
    ("BagUnion", "Bags"),
    ("CopiesIn", "Bags"),
    ("BagCardinality", "Bags"),
    ("Print", "TLC"),
    ("PrintT", "TLC"),
    ("Assert", "TLC"),
    ("JavaTime", "TLC"),
    ("TLCGet", "TLC"),
    ("TLCSet", "TLC"),
    (":>", "TLC"),
    ("@@", "TLC"),
    ("Permutations", "TLC"),
    ("SortSeq", "TLC"),
    ("RandomElement", "TLC"),
    ("Any", "TLC"),
    ("ToString", "TLC"),
    ("TLCEval", "TLC"),
    ("RandomSubset", "Randomization"),
    ("ToJson", "Json"),
    ("JsonSerialize", "Json"),
    ("JsonDeserialize", "Json"),
    ("FoldSet", "FiniteSetsExt"),
    ("FoldSeq", "SequencesExt"),
];

/// The standard module that defines a name.
pub(crate) fn module_of(name: &str) -> Option<&'static str> {
    EXPORTED.iter().find(|(it, _)| *it == name).map(|(_, module)| *module)
}

/// The candidate that looks most like `name`, if one is close enough.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a Name>,
) -> Option<&'a Name> {
    let limit = match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &Name)> = None;
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > limit + 2 {
            continue;
        }
        let distance = if candidate.eq_ignore_ascii_case(name) && name.len() > 1 {
            0
        } else {
            edit_distance(name, candidate)
        };
        if (distance <= limit) && best.is_none_or(|(it, _)| distance < it) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (previous[j] + 1).min(row[j - 1] + 1).min(previous[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = previous;
        previous = row;
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("Cardinality", "Cardinalty"), 1);
        assert_eq!(edit_distance("ab", "ba"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn the_closest_name_wins() {
        let names: Vec<Name> = ["TypeOK", "Next", "Init"].iter().map(Name::new).collect();
        assert_eq!(closest("TypeOk", &names).map(|it| it.as_str()), Some("TypeOK"));
        assert_eq!(closest("Nxt", &names).map(|it| it.as_str()), Some("Next"));
        assert_eq!(closest("Termination", &names), None);
    }
}
