//! The operators of TLA+: one row each, with every spelling.
//!
//! Invariant: a canonical name occurs once; a spelling belongs to one row of each fix at most (only
//! `-` has two meanings, and prefix minus is named `-.`). Ranges follow *Specifying Systems* §15.2.1
//! with the corrections SANY made to `SUBSET`, `UNION`, `DOMAIN` and `-+->`.

/// Where an operator stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fix {
    /// Before its operand.
    Prefix,
    /// Between its operands.
    Infix,
    /// After its operand.
    Postfix,
    /// Between any number of operands: `\X`.
    Nfix,
}

/// One row of the table.
#[derive(Debug)]
pub struct Operator {
    /// The canonical name, which decides identity.
    pub name: &'static str,
    /// Where it stands.
    pub fix: Fix,
    /// Lowest precedence.
    pub low: u8,
    /// Highest precedence.
    pub high: u8,
    /// Whether `a op b op c` means `(a op b) op c`; else it is an error.
    pub left_associative: bool,
    /// Other ASCII spellings.
    pub ascii: &'static [&'static str],
    /// Unicode spellings.
    pub unicode: &'static [&'static str],
    /// Whether a specification may define it; the others are built in.
    pub definable: bool,
}

impl Operator {
    /// Whether the operator takes two operands.
    pub fn is_infix(&self) -> bool {
        matches!(self.fix, Fix::Infix | Fix::Nfix)
    }

    /// The number of operands (`\X` counts as two).
    pub fn arity(&self) -> u32 {
        if self.is_infix() { 2 } else { 1 }
    }

    /// How people write it: the first ASCII symbol where the canonical name is a word for one.
    pub fn spelling(&self) -> &'static str {
        match self.name {
            "-." => "-",
            "\\times" => "\\X",
            "\\intersect" => "\\cap",
            "\\union" => "\\cup",
            "/=" => "#",
            "\\leq" => "<=",
            "\\land" | "\\lor" | "\\lnot" | "\\equiv" | "\\geq" => self.ascii[0],
            name => name,
        }
    }
}

/// How two neighbouring operators share the operand between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// The left operator takes it.
    Left,
    /// The right operator takes it.
    Right,
    /// Neither: parentheses are needed.
    Conflict,
}

/// Decides between `left` and the infix or postfix `right`: disjoint ranges decide, the same
/// left-associative operator groups to the left, anything else is a conflict.
pub fn binding(left: OperatorId, right: OperatorId) -> Binding {
    let (l, r) = (left.get(), right.get());
    if l.low > r.high {
        Binding::Left
    } else if l.high < r.low {
        Binding::Right
    } else if left == right && l.left_associative {
        Binding::Left
    } else {
        Binding::Conflict
    }
}

/// Names a row of [`OPERATORS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OperatorId(u8);

impl OperatorId {
    /// The row.
    pub fn get(self) -> &'static Operator {
        &OPERATORS[self.0 as usize]
    }

    /// All rows in the order of the table.
    pub fn all() -> impl Iterator<Item = OperatorId> {
        (0..OPERATORS.len() as u8).map(OperatorId)
    }

    /// The row with this canonical name.
    pub fn by_name(name: &str) -> Option<OperatorId> {
        Self::all().find(|id| id.get().name == name)
    }

    const fn known(name: &str) -> OperatorId {
        let mut idx = 0;
        while idx < OPERATORS.len() {
            if const_eq(OPERATORS[idx].name.as_bytes(), name.as_bytes()) {
                return OperatorId(idx as u8);
            }
            idx += 1;
        }
        panic!("no such operator")
    }
}

const fn const_eq(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut idx = 0;
    while idx < a.len() {
        if a[idx] != b[idx] {
            return false;
        }
        idx += 1;
    }
    true
}

/// The canonical name of a spelling (`=<` gives `\leq`); `-` is infix minus.
pub fn canonical_name(spelling: &str) -> Option<&'static str> {
    OPERATORS
        .iter()
        .find(|op| {
            op.name == spelling || op.ascii.contains(&spelling) || op.unicode.contains(&spelling)
        })
        .map(|op| op.name)
}

/// `/\`.
pub const AND: OperatorId = OperatorId::known("\\land");
/// `\/`.
pub const OR: OperatorId = OperatorId::known("\\lor");
/// `=`.
pub const EQUALS: OperatorId = OperatorId::known("=");
/// `\in`.
pub const IN: OperatorId = OperatorId::known("\\in");
/// Infix `-`.
pub const MINUS: OperatorId = OperatorId::known("-");
/// Prefix `-`, named `-.`.
pub const NEGATE: OperatorId = OperatorId::known("-.");
/// `\X`.
pub const TIMES: OperatorId = OperatorId::known("\\times");
/// `[]`.
pub const BOX: OperatorId = OperatorId::known("[]");
/// `!!`.
pub const BANG_BANG: OperatorId = OperatorId::known("!!");
/// `<`.
pub const LESS: OperatorId = OperatorId::known("<");
/// Function application.
pub const APPLY: OperatorId = OperatorId::known("[");
/// Record selection.
pub const DOT: OperatorId = OperatorId::known(".");

const NONE: &[&str] = &[];

const fn row(
    name: &'static str,
    fix: Fix,
    range: (u8, u8),
    left_associative: bool,
    ascii: &'static [&'static str],
    unicode: &'static [&'static str],
    definable: bool,
) -> Operator {
    Operator { name, fix, low: range.0, high: range.1, left_associative, ascii, unicode, definable }
}

use Fix::{Infix, Nfix, Postfix, Prefix};
const LEFT: bool = true;
const NOT_ASSOCIATIVE: bool = false;
const BUILT_IN: bool = false;
const DEFINABLE: bool = true;

/// The table.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    row("[", Postfix, (16, 16), LEFT, NONE, NONE, BUILT_IN),
    row(".", Infix, (17, 17), LEFT, NONE, NONE, BUILT_IN),
    row("'", Postfix, (15, 15), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("^", Infix, (14, 14), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("/", Infix, (13, 13), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("*", Infix, (13, 13), LEFT, NONE, NONE, DEFINABLE),
    row("-", Infix, (11, 11), LEFT, NONE, NONE, DEFINABLE),
    row("-.", Prefix, (12, 12), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("+", Infix, (10, 10), LEFT, NONE, NONE, DEFINABLE),
    row("=", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("\\lnot", Prefix, (4, 4), LEFT, &["~", "\\neg"], &["¬"], BUILT_IN),
    row("\\land", Infix, (3, 3), LEFT, &["/\\"], &["∧"], BUILT_IN),
    row("\\lor", Infix, (3, 3), LEFT, &["\\/"], &["∨"], BUILT_IN),
    row("~>", Infix, (2, 2), NOT_ASSOCIATIVE, NONE, &["↝"], BUILT_IN),
    row("=>", Infix, (1, 1), NOT_ASSOCIATIVE, NONE, &["⇒"], BUILT_IN),
    row("[]", Prefix, (4, 15), NOT_ASSOCIATIVE, NONE, &["□"], BUILT_IN),
    row("<>", Prefix, (4, 15), NOT_ASSOCIATIVE, NONE, &["◇"], BUILT_IN),
    row("ENABLED", Prefix, (4, 15), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("UNCHANGED", Prefix, (4, 15), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("SUBSET", Prefix, (10, 13), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("UNION", Prefix, (10, 13), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("DOMAIN", Prefix, (10, 13), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("^+", Postfix, (15, 15), NOT_ASSOCIATIVE, NONE, &["⁺"], DEFINABLE),
    row("^*", Postfix, (15, 15), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("^#", Postfix, (15, 15), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("\\cdot", Infix, (5, 14), LEFT, NONE, &["⋅"], BUILT_IN),
    row("\\equiv", Infix, (2, 2), NOT_ASSOCIATIVE, &["<=>"], &["≡", "⇔"], BUILT_IN),
    row("-+->", Infix, (2, 2), NOT_ASSOCIATIVE, NONE, &["⇸"], BUILT_IN),
    row("/=", Infix, (5, 5), NOT_ASSOCIATIVE, &["#"], &["≠"], BUILT_IN),
    row("\\subseteq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊆"], BUILT_IN),
    row("\\in", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["∈"], BUILT_IN),
    row("\\notin", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["∉"], BUILT_IN),
    row("<", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("\\leq", Infix, (5, 5), NOT_ASSOCIATIVE, &["<=", "=<"], &["≤"], DEFINABLE),
    row(">", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("\\geq", Infix, (5, 5), NOT_ASSOCIATIVE, &[">="], &["≥"], DEFINABLE),
    row("\\times", Nfix, (10, 13), LEFT, &["\\X"], &["×"], BUILT_IN),
    row("\\", Infix, (8, 8), NOT_ASSOCIATIVE, NONE, NONE, BUILT_IN),
    row("\\intersect", Infix, (8, 8), LEFT, &["\\cap"], &["∩"], BUILT_IN),
    row("\\union", Infix, (8, 8), LEFT, &["\\cup"], &["∪"], BUILT_IN),
    row("...", Infix, (9, 9), NOT_ASSOCIATIVE, NONE, &["…"], DEFINABLE),
    row("..", Infix, (9, 9), NOT_ASSOCIATIVE, NONE, &["‥"], DEFINABLE),
    row("|", Infix, (10, 11), LEFT, NONE, NONE, DEFINABLE),
    row("||", Infix, (10, 11), LEFT, NONE, &["‖"], DEFINABLE),
    row("&&", Infix, (13, 13), LEFT, NONE, NONE, DEFINABLE),
    row("&", Infix, (13, 13), LEFT, NONE, NONE, DEFINABLE),
    row("$$", Infix, (9, 13), LEFT, NONE, NONE, DEFINABLE),
    row("$", Infix, (9, 13), LEFT, NONE, NONE, DEFINABLE),
    row("??", Infix, (9, 13), LEFT, NONE, &["⁇"], DEFINABLE),
    row("%%", Infix, (10, 11), LEFT, NONE, NONE, DEFINABLE),
    row("%", Infix, (10, 11), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("##", Infix, (9, 13), LEFT, NONE, NONE, DEFINABLE),
    row("++", Infix, (10, 10), LEFT, NONE, NONE, DEFINABLE),
    row("--", Infix, (11, 11), LEFT, NONE, NONE, DEFINABLE),
    row("**", Infix, (13, 13), LEFT, NONE, NONE, DEFINABLE),
    row("//", Infix, (13, 13), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("^^", Infix, (14, 14), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row("@@", Infix, (6, 6), LEFT, NONE, NONE, DEFINABLE),
    row("!!", Infix, (9, 13), NOT_ASSOCIATIVE, NONE, &["‼"], DEFINABLE),
    row("|-", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊢"], DEFINABLE),
    row("|=", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊨"], DEFINABLE),
    row("-|", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊣"], DEFINABLE),
    row("=|", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⫤"], DEFINABLE),
    row("<:", Infix, (7, 7), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row(":>", Infix, (7, 7), NOT_ASSOCIATIVE, NONE, NONE, DEFINABLE),
    row(":=", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≔"], DEFINABLE),
    row("::=", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⩴"], DEFINABLE),
    row("\\oplus", Infix, (10, 10), LEFT, &["(+)"], &["⊕"], DEFINABLE),
    row("\\ominus", Infix, (11, 11), LEFT, &["(-)"], &["⊖"], DEFINABLE),
    row("\\odot", Infix, (13, 13), LEFT, &["(.)"], &["⊙"], DEFINABLE),
    row("\\oslash", Infix, (13, 13), NOT_ASSOCIATIVE, &["(/)"], &["⊘"], DEFINABLE),
    row("\\otimes", Infix, (13, 13), LEFT, &["(\\X)"], &["⊗"], DEFINABLE),
    row("\\uplus", Infix, (9, 13), LEFT, NONE, &["⊎"], DEFINABLE),
    row("\\sqcap", Infix, (9, 13), LEFT, NONE, &["⊓"], DEFINABLE),
    row("\\sqcup", Infix, (9, 13), LEFT, NONE, &["⊔"], DEFINABLE),
    row("\\div", Infix, (13, 13), NOT_ASSOCIATIVE, NONE, &["÷"], DEFINABLE),
    row("\\wr", Infix, (9, 14), NOT_ASSOCIATIVE, NONE, &["≀"], DEFINABLE),
    row("\\star", Infix, (13, 13), LEFT, NONE, &["⋆"], DEFINABLE),
    row("\\o", Infix, (13, 13), LEFT, &["\\circ"], &["∘"], DEFINABLE),
    row("\\bigcirc", Infix, (13, 13), LEFT, NONE, &["◯"], DEFINABLE),
    row("\\bullet", Infix, (13, 13), LEFT, NONE, &["●"], DEFINABLE),
    row("\\prec", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≺"], DEFINABLE),
    row("\\succ", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≻"], DEFINABLE),
    row("\\preceq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⪯"], DEFINABLE),
    row("\\succeq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⪰"], DEFINABLE),
    row("\\sim", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["∼"], DEFINABLE),
    row("\\simeq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≃"], DEFINABLE),
    row("\\ll", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≪"], DEFINABLE),
    row("\\gg", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≫"], DEFINABLE),
    row("\\asymp", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≍"], DEFINABLE),
    row("\\subset", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊂"], DEFINABLE),
    row("\\supset", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊃"], DEFINABLE),
    row("\\supseteq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊇"], DEFINABLE),
    row("\\approx", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≈"], DEFINABLE),
    row("\\cong", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≅"], DEFINABLE),
    row("\\sqsubset", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊏"], DEFINABLE),
    row("\\sqsubseteq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊑"], DEFINABLE),
    row("\\sqsupset", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊐"], DEFINABLE),
    row("\\sqsupseteq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["⊒"], DEFINABLE),
    row("\\doteq", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["≐"], DEFINABLE),
    row("\\propto", Infix, (5, 5), NOT_ASSOCIATIVE, NONE, &["∝"], DEFINABLE),
];
