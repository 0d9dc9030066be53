//! Random damage: analysis and the configuration parser answer anything with diagnostics.

use lockstep_semantic::parse_config;
use lockstep_syntax::{SourceFile, SourceMap};

use super::analyse_text;
use super::fixtures::fixtures;

/// A small generator with a fixed seed (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// The words of a text with their places.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (idx, byte) in text.bytes().chain([b' ']).enumerate() {
        let inside = byte.is_ascii_alphanumeric() || byte == b'_';
        match (start, inside) {
            (None, true) => start = Some(idx),
            (Some(from), false) => {
                let word = &text[from..idx];
                // Damaged keywords would not get past the parser.
                if word.len() == 1 || word.bytes().any(|it| !it.is_ascii_uppercase()) {
                    found.push((from, idx));
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Replaces a word by another one of the text, or by something that parses as a word would.
fn damage(text: &str, random: &mut Random) -> String {
    let words = words(text);
    if words.is_empty() {
        return text.to_owned();
    }
    let (start, end) = words[random.below(words.len())];
    let (other_start, other_end) = words[random.below(words.len())];
    let old = &text[start..end];
    let new = match random.below(8) {
        0 => format!("{old}'"),
        1 => format!("([]{old})"),
        2 => format!("{old}!1"),
        3 => format!("{old}(1)"),
        4 => format!("(LAMBDA p_ : {old})"),
        _ => text[other_start..other_end].to_owned(),
    };
    format!("{}{new}{}", &text[..start], &text[end..])
}

#[test]
fn damaged_modules() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut n_resolved = 0;
    for path in fixtures() {
        let original = std::fs::read_to_string(&path).expect("fixtures are UTF-8");
        for _ in 0..60 {
            let mut text = original.clone();
            for _ in 0..=random.below(3) {
                text = damage(&text, &mut random);
            }
            let analysis = analyse_text(&text);
            n_resolved += usize::from(analysis.spec.root.is_some());
            for it in &analysis.diagnostics {
                assert!(!it.headline.is_empty() && it.primary.is_some(), "{text}");
            }
        }
    }
    assert!(n_resolved > 1_000, "only {n_resolved} got past the parser");
}

#[test]
fn damaged_configurations() {
    let text = "CONSTANTS N = 3 s = \"a\" S = {1, {x}} (* c *) Op(1, 2) = 3 c <- [Mod] Def
INIT Init NEXT Next \\* comment\nINVARIANTS A B!C CHECK_DEADLOCK FALSE SYMMETRY Sym + <- Plus";
    let pieces =
        ["{", "}", "(", ")", "[", "]", "\"", "<-", "=", ",", "!", "\\*", "(*", "*)", "é", "-"];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    // More of them by LOCKSTEP_FUZZ=n.
    let rounds = std::env::var("LOCKSTEP_FUZZ").ok().and_then(|it| it.parse().ok());
    for _ in 0..rounds.unwrap_or(5_000_u64) {
        let mut text = text.to_owned();
        for _ in 0..=random.below(4) {
            let mut at = random.below(text.len());
            while !text.is_char_boundary(at) {
                at += 1;
            }
            if random.below(3) == 0 {
                text.truncate(at);
            } else {
                text.insert_str(at, pieces[random.below(pieces.len())]);
            }
        }
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("Test.cfg", text));
        let (_, diagnostics) = parse_config(file, sources.file(file));
        let _shown = lockstep_syntax::render::render(&sources, &diagnostics, false);
    }
}
