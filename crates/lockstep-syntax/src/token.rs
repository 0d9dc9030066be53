//! Tokens of TLA+ and the table of spellings the lexer matches against.
//!
//! Invariant: every symbol of [`crate::operators::OPERATORS`] is a token; the punctuation listed
//! here is the rest.

use crate::operators::{OPERATORS, OperatorId};

/// What a token is. Its text is in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// The end of the file.
    Eof,
    /// Not a token of the file: a token that the enclosing junction list does not let through.
    ItemEnd,
    Ident,
    Number,
    Decimal,
    Str,
    /// `<1>a.`, `<*>`, `<+>`.
    Step,
    /// An operator symbol, `UNION` and its like included.
    Op(OperatorId),
    /// `----`.
    Dashes,
    /// `====`.
    ModuleEnd,
    /// `==`.
    DefEq,
    Arrow,
    LeftArrow,
    MapsTo,
    Colon,
    ColonColon,
    Comma,
    Dot,
    Bang,
    At,
    Underscore,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    /// `]_`.
    RightBracketSub,
    LeftBrace,
    RightBrace,
    LeftAngle,
    RightAngle,
    /// `>>_`.
    RightAngleSub,
    ForAll,
    Exists,
    TemporalForAll,
    TemporalExists,
    /// `WF_`.
    WeakFairness,
    /// `SF_`.
    StrongFairness,
    Action,
    Assume,
    Axiom,
    By,
    Case,
    Choose,
    Constant,
    Def,
    Define,
    Else,
    Except,
    Extends,
    Have,
    Hide,
    If,
    In,
    Instance,
    Lambda,
    Let,
    Local,
    Module,
    New,
    Obvious,
    Omitted,
    Only,
    Other,
    Pick,
    Proof,
    Prove,
    Qed,
    Recursive,
    State,
    Suffices,
    Take,
    Temporal,
    Then,
    Theorem,
    Use,
    Variable,
    With,
    Witness,
}

/// One token. The column is the one SANY counts: code points, a tab to the next multiple of 8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Whether nothing but white space and comments stands before it on its line.
    pub(crate) first_on_line: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) col: u32,
}

/// The reserved words; `ASSUMPTION` and `ASSUME` mean the same and so are one token.
pub(crate) fn keyword(text: &str) -> Option<TokenKind> {
    use TokenKind as T;
    // Reserved words have 2 to 11 capital letters.
    if text.len() < 2 || text.len() > 11 || !text.as_bytes()[0].is_ascii_uppercase() {
        return None;
    }
    Some(match text {
        "ACTION" => T::Action,
        "ASSUME" | "ASSUMPTION" => T::Assume,
        "AXIOM" => T::Axiom,
        "BY" => T::By,
        "CASE" => T::Case,
        "CHOOSE" => T::Choose,
        "CONSTANT" | "CONSTANTS" => T::Constant,
        "DEF" | "DEFS" => T::Def,
        "DEFINE" => T::Define,
        "ELSE" => T::Else,
        "EXCEPT" => T::Except,
        "EXTENDS" => T::Extends,
        "HAVE" => T::Have,
        "HIDE" => T::Hide,
        "IF" => T::If,
        "IN" => T::In,
        "INSTANCE" => T::Instance,
        "LAMBDA" => T::Lambda,
        "LET" => T::Let,
        "LOCAL" => T::Local,
        "MODULE" => T::Module,
        "NEW" => T::New,
        "OBVIOUS" => T::Obvious,
        "OMITTED" => T::Omitted,
        "ONLY" => T::Only,
        "OTHER" => T::Other,
        "PICK" => T::Pick,
        "PROOF" => T::Proof,
        "PROVE" => T::Prove,
        "QED" => T::Qed,
        "RECURSIVE" => T::Recursive,
        "STATE" => T::State,
        "SUFFICES" => T::Suffices,
        "TAKE" => T::Take,
        "TEMPORAL" => T::Temporal,
        "THEN" => T::Then,
        "COROLLARY" | "LEMMA" | "PROPOSITION" | "THEOREM" => T::Theorem,
        "USE" => T::Use,
        "VARIABLE" | "VARIABLES" => T::Variable,
        "WITH" => T::With,
        "WITNESS" => T::Witness,
        "DOMAIN" | "ENABLED" | "SUBSET" | "UNCHANGED" | "UNION" => {
            T::Op(OperatorId::by_name(text)?)
        }
        _ => return None,
    })
}

const PUNCTUATION: &[(&str, TokenKind)] = &[
    ("==", TokenKind::DefEq),
    ("≜", TokenKind::DefEq),
    ("->", TokenKind::Arrow),
    ("→", TokenKind::Arrow),
    ("<-", TokenKind::LeftArrow),
    ("←", TokenKind::LeftArrow),
    ("|->", TokenKind::MapsTo),
    ("↦", TokenKind::MapsTo),
    (":", TokenKind::Colon),
    ("::", TokenKind::ColonColon),
    ("∷", TokenKind::ColonColon),
    (",", TokenKind::Comma),
    (".", TokenKind::Dot),
    ("!", TokenKind::Bang),
    ("@", TokenKind::At),
    ("(", TokenKind::LeftParen),
    (")", TokenKind::RightParen),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    ("]_", TokenKind::RightBracketSub),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    ("<<", TokenKind::LeftAngle),
    ("⟨", TokenKind::LeftAngle),
    (">>", TokenKind::RightAngle),
    ("⟩", TokenKind::RightAngle),
    (">>_", TokenKind::RightAngleSub),
    ("⟩_", TokenKind::RightAngleSub),
    ("\\A", TokenKind::ForAll),
    ("\\forall", TokenKind::ForAll),
    ("∀", TokenKind::ForAll),
    ("\\E", TokenKind::Exists),
    ("\\exists", TokenKind::Exists),
    ("∃", TokenKind::Exists),
    ("\\AA", TokenKind::TemporalForAll),
    ("\\EE", TokenKind::TemporalExists),
];

/// All symbols, ordered for longest match.
pub(crate) struct Symbols {
    /// Sorted by [`Symbols::bucket`], longest first within a bucket.
    rows: Vec<(&'static str, TokenKind)>,
    /// Where each bucket starts.
    starts: [u16; 513],
}

impl Symbols {
    pub(crate) fn new() -> Self {
        let mut rows: Vec<_> = PUNCTUATION.to_vec();
        for (id, op) in OperatorId::all().zip(OPERATORS) {
            let spellings = [op.name].into_iter().chain(op.ascii.iter().copied());
            for spelling in spellings.chain(op.unicode.iter().copied()) {
                let is_word = spelling.as_bytes()[0].is_ascii_alphabetic();
                if !is_word && !matches!(op.name, "[" | ".") {
                    rows.push((spelling, TokenKind::Op(id)));
                }
            }
        }
        rows.sort_by_key(|(text, _)| (Self::bucket(text.as_bytes()), usize::MAX - text.len()));
        let mut starts = [rows.len() as u16; 513];
        for (idx, (text, _)) in rows.iter().enumerate().rev() {
            starts[Self::bucket(text.as_bytes())] = idx as u16;
        }
        for bucket in (0..512).rev() {
            starts[bucket] = starts[bucket].min(starts[bucket + 1]);
        }
        Self { rows, starts }
    }

    /// The first byte, or the second one after a backslash (most symbols start with one) and after
    /// the lead byte E2 of most mathematical symbols.
    fn bucket(text: &[u8]) -> usize {
        match text {
            [b'\\', second, ..] => 256 + (*second & 0x7f) as usize,
            [0xe2, second, ..] => 384 + (*second & 0x7f) as usize,
            [first, ..] => *first as usize,
            [] => 0,
        }
    }

    /// The longest symbol at the start of `text`.
    pub(crate) fn longest(&self, text: &[u8]) -> Option<(usize, TokenKind)> {
        let bucket = Self::bucket(text);
        let found = self.search(bucket, text);
        if found.is_none() && text[0] == b'\\' {
            // A backslash before anything else is set difference.
            return self.search(b'\\' as usize, text);
        }
        found
    }

    fn search(&self, bucket: usize, text: &[u8]) -> Option<(usize, TokenKind)> {
        let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
        let (symbol, kind) =
            self.rows[range].iter().find(|(symbol, _)| text.starts_with(symbol.as_bytes()))?;
        Some((symbol.len(), *kind))
    }
}
