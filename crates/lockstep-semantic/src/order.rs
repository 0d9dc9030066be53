//! The last touches to a resolved specification: modules in order of dependence, symbols in order
//! of occurrence.

use lockstep_syntax::Span;
use lockstep_syntax::ast::Name;
use lockstep_syntax::operators::OPERATORS;
use rustc_hash::FxHashSet;

use crate::hir::{Meaning, ModuleId, Spec};

/// Renumbers the modules so that each comes after those it extends or instantiates, and collects
/// the symbols.
pub(crate) fn finish(spec: &mut Spec, completed: &[ModuleId], graph: &[Node]) {
    renumber(spec, completed);
    spec.symbols = symbols(spec, graph);
}

/// A top-level module and what it imports.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) extends: Vec<Name>,
    pub(crate) instances: Vec<Name>,
}

impl Node {
    pub(crate) fn new(name: Name, span: Span) -> Self {
        Self { name, span, extends: Vec::new(), instances: Vec::new() }
    }
}

fn renumber(spec: &mut Spec, completed: &[ModuleId]) {
    let mut order: Vec<ModuleId> = completed.to_vec();
    for idx in 0..spec.modules.len() {
        let id = ModuleId(idx as u32);
        if !order.contains(&id) {
            order.push(id);
        }
    }
    let mut new_id = vec![ModuleId(0); spec.modules.len()];
    for (new, old) in order.iter().enumerate() {
        new_id[old.index()] = ModuleId(new as u32);
    }
    let mut old_modules: Vec<Option<_>> =
        std::mem::take(&mut spec.modules).into_iter().map(Some).collect();
    spec.modules = order.iter().filter_map(|old| old_modules[old.index()].take()).collect();
    let map = |id: &mut ModuleId| *id = new_id[id.index()];
    for module in &mut spec.modules {
        module.extends.iter_mut().for_each(map);
        module.parent.iter_mut().for_each(map);
        for (_, meaning) in &mut module.scope {
            if let Meaning::Module(id) = meaning {
                map(id);
            }
        }
    }
    spec.decls.iter_mut().for_each(|it| map(&mut it.module));
    spec.definitions.iter_mut().for_each(|it| map(&mut it.module));
    for instance in &mut spec.instances {
        map(&mut instance.module);
        map(&mut instance.target);
    }
    spec.assumptions.iter_mut().for_each(|it| map(&mut it.module));
    spec.root.iter_mut().for_each(map);
}

/// Names that TLC knows before it reads anything, in its order, before the operators.
const PRELUDE: &[&str] = &["STRING", "FALSE", "TRUE", "BOOLEAN", "SUBSET", "UNION", "DOMAIN"];

/// The tokens of the standard modules in the order in which TLC meets them, for strings such as
/// "a" and "b" that a specification does not name itself. Our texts of these modules differ.
const STANDARD: &[(&str, &str)] = &[
    ("Naturals", "Nat a b CHOOSE n"),
    ("Integers", "EXTENDS Naturals Int a"),
    ("Reals", "EXTENDS Integers Real a b CHOOSE m Infinity i r"),
    (
        "Sequences",
        "LOCAL INSTANCE Naturals Seq S n Nat Len s CHOOSE t i IF THEN ELSE Append e Head Tail \
         SubSeq m SelectSeq Test _ LET F IN",
    ),
    (
        "FiniteSets",
        "LOCAL INSTANCE Naturals Sequences IsFiniteSet S seq Seq s n Len Cardinality LET T IF \
         THEN ELSE CHOOSE x IN",
    ),
    (
        "Bags",
        "LOCAL INSTANCE Naturals IsABag B n Nat BagToSet SetToBag S e BagIn EmptyBag B1 B2 IF \
         THEN ELSE LET IN d Sum f elt CHOOSE BagUnion SubBag x y i r s BagOfAll F _ \
         BagCardinality CopiesIn",
    ),
    (
        "TLC",
        "LOCAL INSTANCE Naturals Sequences FiniteSets Print out val PrintT Assert IF THEN ELSE \
         CHOOSE v JavaTime n Nat TLCGet i TLCSet d e x f g Permutations S w SortSeq s Op _ LET p \
         Len j IN RandomElement Any ToString a b TLCEval",
    ),
    (
        "TLCExt",
        "LOCAL INSTANCE Integers AssertEq a b IF THEN ELSE AssertError err exp LET e CHOOSE s IN \
         Assert TLCGetOrDefault key defaultVal n TLCGetAndSet Op _ val v TLCSet Trace \
         CounterExample ToTrace CE TLCModelValue str ToString TLCDefer expression TLCNoOp \
         PickSuccessor TLCCache closure TLCFP var i Int TLCEvalDefinition definitionName",
    ),
    (
        "Randomization",
        "LOCAL INSTANCE Naturals FiniteSets RandomSubset k S CHOOSE T Cardinality \
         RandomSetOfSubsets n TestRandomSetOfSubsets i",
    ),
    (
        "Json",
        "LOCAL INSTANCE Sequences FiniteSets F D d ToString _ LET CHOOSE IN IF THEN ELSE \
         IsFiniteSet ToJson value ToJsonArray ToJsonObject JsonSerialize absoluteFilename \
         JsonDeserialize val ndJsonSerialize ndJsonDeserialize",
    ),
];

/// The words of a module.
fn words_of<'s>(spec: &'s Spec, node: &Node) -> Vec<Word<'s>> {
    let file = spec.sources.file(node.span.file);
    let standard = STANDARD.iter().find(|(name, _)| *name == node.name);
    match standard {
        Some((_, tokens)) if file.name.starts_with("<built-in") => {
            tokens.split_whitespace().map(Word::Token).collect()
        }
        _ => words(spec.sources.text(node.span)).collect(),
    }
}

/// Tokens and strings in the order in which TLC meets them: first what it knows from the start,
/// then the tokens of all modules in the order in which they are parsed, then the strings of all
/// modules in the order in which they are analysed.
fn symbols(spec: &Spec, graph: &[Node]) -> Vec<Name> {
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    let mut result = Vec::new();
    let mut add = |name: Name| {
        if seen.insert(name.clone()) {
            result.push(name);
        }
    };
    for name in PRELUDE {
        add(Name::new_static(name));
    }
    for operator in OPERATORS {
        add(Name::new_static(operator.name));
    }
    for spelling in OPERATORS.iter().flat_map(|it| it.ascii) {
        add(Name::new_static(spelling));
    }
    let texts: Vec<Vec<Word>> = graph.iter().map(|node| words_of(spec, node)).collect();
    for idx in parse_order(graph) {
        for word in &texts[idx] {
            if let Word::Token(word) = word {
                // The word MODULE is part of a longer token.
                if *word != "MODULE" {
                    add(Name::new(word));
                }
            }
        }
    }
    for idx in analysis_order(graph) {
        for word in &texts[idx] {
            if let Word::String(text) = word {
                add(unescaped(text));
            }
        }
    }
    result
}

/// The order in which TLC parses modules: a module, then what it extends level by level; then, for
/// each module parsed so far, what it instantiates, each with all that it extends.
fn parse_order(graph: &[Node]) -> Vec<usize> {
    let find = |name: &Name| graph.iter().position(|node| node.name == *name);
    let mut order: Vec<usize> = Vec::new();
    let with_extended = |start: usize, order: &mut Vec<usize>| {
        if order.contains(&start) {
            return;
        }
        let mut at = order.len();
        order.push(start);
        while at < order.len() {
            for next in graph[order[at]].extends.iter().filter_map(find) {
                if !order.contains(&next) {
                    order.push(next);
                }
            }
            at += 1;
        }
    };
    if graph.is_empty() {
        return order;
    }
    with_extended(0, &mut order);
    let mut at = 0;
    while at < order.len() {
        for next in graph[order[at]].instances.iter().filter_map(find) {
            with_extended(next, &mut order);
        }
        at += 1;
    }
    order
}

/// The order in which TLC analyses modules: what a module imports before the module.
fn analysis_order(graph: &[Node]) -> Vec<usize> {
    fn visit(graph: &[Node], idx: usize, seen: &mut Vec<bool>, order: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[idx], true) {
            return;
        }
        let node = &graph[idx];
        for name in node.extends.iter().chain(&node.instances) {
            if let Some(next) = graph.iter().position(|node| node.name == *name) {
                visit(graph, next, seen, order);
            }
        }
        order.push(idx);
    }
    let mut order = Vec::new();
    if !graph.is_empty() {
        visit(graph, 0, &mut vec![false; graph.len()], &mut order);
    }
    order
}

/// A piece of a text that TLC keeps in its table of strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word<'t> {
    /// An identifier, a keyword or a number.
    Token(&'t str),
    /// A string as it is written, without its quotes.
    String(&'t str),
}

/// A string with its escapes resolved.
pub(crate) fn unescaped(text: &str) -> Name {
    if !text.contains('\\') {
        return Name::new(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        if ch != '\\' {
            result.push(ch);
            continue;
        }
        match chars.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('f') => result.push('\u{c}'),
            Some(ch) => result.push(ch),
            None => {}
        }
    }
    Name::from(result)
}

/// The words of a text, comments left out.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    Words { text, at: 0 }
}

struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            let rest = &bytes[self.at..];
            if rest.starts_with(b"\\*") {
                while bytes.get(self.at).is_some_and(|it| *it != b'\n') {
                    self.at += 1;
                }
            } else if rest.starts_with(b"(*") {
                self.skip_comment();
            } else if byte == b'"' {
                let start = self.at + 1;
                let mut end = start;
                while bytes.get(end).is_some_and(|it| *it != b'"' && *it != b'\n') {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                let end = end.min(bytes.len());
                self.at = end + 1;
                if let Some(word) = self.text.get(start..end) {
                    return Some(Word::String(word));
                }
            } else if byte.is_ascii_alphanumeric() || byte == b'_' {
                let start = self.at;
                while bytes.get(self.at).is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_')
                {
                    self.at += 1;
                }
                return Some(Word::Token(&self.text[start..self.at]));
            } else {
                self.at += 1;
            }
        }
    }
}

impl Words<'_> {
    fn skip_comment(&mut self) {
        let bytes = self.text.as_bytes();
        let mut depth = 0;
        while self.at < bytes.len() {
            let rest = &bytes[self.at..];
            if rest.starts_with(b"(*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with(b"*)") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
    }
}
