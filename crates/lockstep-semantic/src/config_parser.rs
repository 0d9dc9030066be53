//! The parser of configuration files.
//!
//! A configuration is a row of statements, each a keyword and what belongs to it; the next keyword
//! ends a list. Parsing never fails: it returns what it understood and diagnostics, and goes on at
//! the next keyword after a mistake. Codes are TLC's (`E5003` a name is missing, `E5004` a keyword
//! that may stand once stands twice, `E5006` another token was expected; `E5002` for what is no
//! token).

use lockstep_syntax::ast::Name;
use lockstep_syntax::operators::{OPERATORS, canonical_name};
use lockstep_syntax::{Diagnostic, FileId, SourceFile, Span};

use crate::config::{Config, ConfigName, ConfigValue, ConstantBinding, ConstantTarget};
use crate::order::{Word, unescaped, words};
use crate::suggest;

/// What a keyword starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Statement {
    Constants,
    Init,
    Next,
    Specification,
    Invariants,
    Properties,
    Constraints,
    ActionConstraints,
    Symmetry,
    View,
    Alias,
    Postconditions,
    CheckDeadlock,
    Periodic,
    RlReward,
    Possible,
}

/// Every keyword; one statement may have two.
const KEYWORDS: &[(&str, Statement)] = &[
    ("CONSTANT", Statement::Constants),
    ("CONSTANTS", Statement::Constants),
    ("INIT", Statement::Init),
    ("NEXT", Statement::Next),
    ("SPECIFICATION", Statement::Specification),
    ("INVARIANT", Statement::Invariants),
    ("INVARIANTS", Statement::Invariants),
    ("PROPERTY", Statement::Properties),
    ("PROPERTIES", Statement::Properties),
    ("CONSTRAINT", Statement::Constraints),
    ("CONSTRAINTS", Statement::Constraints),
    ("ACTION_CONSTRAINT", Statement::ActionConstraints),
    ("ACTION_CONSTRAINTS", Statement::ActionConstraints),
    ("SYMMETRY", Statement::Symmetry),
    ("VIEW", Statement::View),
    ("ALIAS", Statement::Alias),
    ("POSTCONDITION", Statement::Postconditions),
    ("POSTCONDITIONS", Statement::Postconditions),
    ("CHECK_DEADLOCK", Statement::CheckDeadlock),
    ("_PERIODIC", Statement::Periodic),
    ("_RL_REWARD", Statement::RlReward),
    ("_POSSIBLE", Statement::Possible),
];

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Keyword(Statement),
    /// An identifier that is no keyword.
    Word,
    Number,
    String(Name),
    Symbol,
    End,
}

#[derive(Clone, Debug)]
struct Lexeme {
    token: Token,
    span: Span,
}

/// Parses a configuration file.
pub fn parse_config(file: FileId, source: &SourceFile) -> (Config, Vec<Diagnostic>) {
    parse_range(file, &source.text, 0, source.text.len())
}

/// Parses the section `---- CONFIG name ----` of a module's file; `None` if there is none.
pub fn parse_config_section(
    file: FileId,
    source: &SourceFile,
    name: &str,
) -> Option<(Config, Vec<Diagnostic>)> {
    let range = lockstep_syntax::config_section(&source.text, name)?;
    Some(parse_range(file, &source.text, range.start, range.end))
}

fn parse_range(file: FileId, text: &str, start: usize, end: usize) -> (Config, Vec<Diagnostic>) {
    let mut lexer = Lexer { file, text, at: start, end, diagnostics: Vec::new() };
    let mut lexemes = Vec::new();
    loop {
        let lexeme = lexer.next();
        let last = lexeme.token == Token::End;
        lexemes.push(lexeme);
        if last {
            break;
        }
    }
    let mut parser =
        Parser { text, lexemes, at: 0, config: Config::default(), diagnostics: lexer.diagnostics };
    parser.run();
    let mut seen = rustc_hash::FxHashSet::default();
    for word in words(text.get(start..end).unwrap_or("")) {
        let name = match word {
            Word::Token(word) => Name::new(word),
            Word::String(word) => unescaped(word),
        };
        if seen.insert(name.clone()) {
            parser.config.symbols.push(name);
        }
    }
    parser.diagnostics.sort_by_key(|it| it.primary.as_ref().map(|label| label.span));
    (parser.config, parser.diagnostics)
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    end: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..self.end).unwrap_or("")
    }

    fn next(&mut self) -> Lexeme {
        self.skip_blanks();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Lexeme { token: Token::End, span: self.span(start, start) };
        };
        let token = if first.is_ascii_alphanumeric() || first == '_' {
            self.word()
        } else if first == '"' {
            self.string()
        } else {
            let rest = self.rest();
            self.at += symbol_length(rest).unwrap_or(first.len_utf8());
            Token::Symbol
        };
        Lexeme { token, span: self.span(start, self.at) }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed =
                rest.trim_start_matches(|ch: char| ch.is_whitespace() || ch == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let rest = self.rest();
            if rest.starts_with("\\*") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("(*") {
                let start = self.at;
                let closed = self.skip_comment();
                if !closed {
                    let span = self.span(start, start + 2);
                    self.diagnostics.push(
                        Diagnostic::warning("W5002", span, "this comment is not closed")
                            .label("it goes on to the end")
                            .help("close it with `*)`"),
                    );
                }
            } else {
                return;
            }
        }
    }

    /// Skips a comment, which may hold others; whether it is closed.
    fn skip_comment(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut depth = 0;
        while self.at < self.end {
            let rest = &bytes[self.at..self.end];
            if rest.starts_with(b"(*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with(b"*)") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return true;
                }
            } else {
                self.at += 1;
            }
        }
        false
    }

    fn word(&mut self) -> Token {
        let rest = self.rest();
        let length =
            rest.find(|ch: char| !ch.is_ascii_alphanumeric() && ch != '_').unwrap_or(rest.len());
        let word = &rest[..length];
        let token = if let Some((_, statement)) = KEYWORDS.iter().find(|(it, _)| *it == word) {
            Token::Keyword(*statement)
        } else if word.bytes().all(|it| it.is_ascii_digit()) {
            Token::Number
        } else {
            Token::Word
        };
        self.at += length;
        token
    }

    fn string(&mut self) -> Token {
        let start = self.at;
        let mut value = String::new();
        let mut chars = self.text[self.at..self.end].char_indices().skip(1);
        while let Some((offset, ch)) = chars.next() {
            match ch {
                '"' => {
                    self.at = start + offset + 1;
                    return Token::String(Name::from(value));
                }
                '\n' | '\r' => break,
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 't')) => value.push('\t'),
                    Some((_, 'r')) => value.push('\r'),
                    Some((_, 'f')) => value.push('\u{c}'),
                    Some((_, ch @ ('"' | '\\'))) => value.push(ch),
                    Some((_, ch)) => {
                        let span = self.span(start + offset, start + offset + 1 + ch.len_utf8());
                        self.diagnostics.push(
                            Diagnostic::error("E5002", span, format!("unknown escape `\\{ch}`"))
                                .help("known are `\\\"`, `\\\\`, `\\n`, `\\t`, `\\r` and `\\f`"),
                        );
                    }
                    None => break,
                },
                ch => value.push(ch),
            }
        }
        let line = self.rest();
        self.at += line.find(['\n', '\r']).unwrap_or(line.len());
        let span = self.span(start, start + 1);
        self.diagnostics.push(
            Diagnostic::error("E5002", span, "this string is not closed")
                .label("opened here")
                .help("close it with `\"` on the same line"),
        );
        Token::String(Name::from(value))
    }
}

/// The length of the longest symbol a text begins with.
fn symbol_length(text: &str) -> Option<usize> {
    if text.starts_with("<-") || text.starts_with("<<") || text.starts_with(">>") {
        return Some(2);
    }
    let mut best = 0;
    for operator in OPERATORS {
        let spellings = [operator.name]
            .into_iter()
            .chain(operator.ascii.iter().copied())
            .chain(operator.unicode.iter().copied());
        for spelling in spellings {
            if spelling.len() > best && spelling != "[]" && text.starts_with(spelling) {
                // `\in` must not be cut out of `\inner`.
                let word = spelling.ends_with(|ch: char| ch.is_ascii_alphabetic());
                let after = text[spelling.len()..].chars().next();
                if !word || !after.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_') {
                    best = spelling.len();
                }
            }
        }
    }
    (best > 0).then_some(best)
}

struct Parser<'t> {
    text: &'t str,
    lexemes: Vec<Lexeme>,
    at: usize,
    config: Config,
    diagnostics: Vec<Diagnostic>,
}

/// A mistake was reported; go on at the next keyword.
struct Broken;

impl Parser<'_> {
    fn peek(&self) -> &Lexeme {
        // The last lexeme is `End`, which `advance` never passes.
        &self.lexemes[self.at]
    }

    fn advance(&mut self) -> Lexeme {
        let lexeme = self.peek().clone();
        if lexeme.token != Token::End {
            self.at += 1;
        }
        lexeme
    }

    fn text_of(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn at_symbol(&self, symbol: &str) -> bool {
        let lexeme = self.peek();
        lexeme.token == Token::Symbol && self.text_of(lexeme.span) == symbol
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.at += 1;
        }
        found
    }

    /// `end of file`, or the token in quotes.
    fn found(&self) -> String {
        let lexeme = self.peek();
        match lexeme.token {
            Token::End => "the end of the configuration".to_owned(),
            _ => format!("`{}`", self.text_of(lexeme.span)),
        }
    }

    fn expected(&mut self, what: &str) -> Broken {
        let span = self.peek().span;
        let headline = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::error("E5006", span, headline);
        self.diagnostics.push(diagnostic);
        Broken
    }

    fn run(&mut self) {
        let mut once: Vec<(Statement, Span)> = Vec::new();
        loop {
            let lexeme = self.advance();
            match lexeme.token {
                Token::End => return,
                Token::Keyword(statement) => {
                    if !repeats(statement) {
                        if let Some((_, first)) = once.iter().find(|(it, _)| *it == statement) {
                            let word = self.text_of(lexeme.span).to_owned();
                            self.diagnostics.push(
                                Diagnostic::error(
                                    "E5004",
                                    lexeme.span,
                                    format!("{word} appears twice"),
                                )
                                .label("the second time")
                                .also(*first, "the first time"),
                            );
                        }
                        once.push((statement, lexeme.span));
                    }
                    if self.statement(statement, lexeme.span).is_err() {
                        self.recover();
                    }
                }
                Token::Word | Token::Number | Token::String(_) | Token::Symbol => {
                    self.no_keyword(lexeme.span);
                    self.recover();
                }
            }
        }
    }

    fn recover(&mut self) {
        while !matches!(self.peek().token, Token::Keyword(_) | Token::End) {
            self.at += 1;
        }
    }

    fn no_keyword(&mut self, span: Span) {
        let word = self.text_of(span);
        let close = keyword_like(word);
        let mut diagnostic =
            Diagnostic::error("E5006", span, format!("expected a keyword, found `{word}`"));
        if let Some(close) = close {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        } else {
            diagnostic = diagnostic.help(
                "a configuration consists of statements such as `INIT Init`, `INVARIANT Inv` or `CONSTANT N = 3`",
            );
        }
        self.diagnostics.push(diagnostic);
    }

    fn statement(&mut self, statement: Statement, keyword: Span) -> Result<(), Broken> {
        match statement {
            Statement::Constants => self.constants(),
            Statement::CheckDeadlock => {
                let lexeme = self.peek().clone();
                let value = match (&lexeme.token, self.text_of(lexeme.span)) {
                    (Token::Word, "TRUE") => true,
                    (Token::Word, "FALSE") => false,
                    (Token::End | Token::Keyword(_), _) => return Err(self.no_name(keyword)),
                    _ => return Err(self.expected("TRUE or FALSE")),
                };
                self.advance();
                self.config.check_deadlock.get_or_insert(value);
                Ok(())
            }
            Statement::Init => self.one(keyword, |it| &mut it.init),
            Statement::Next => self.one(keyword, |it| &mut it.next),
            Statement::Specification => self.one(keyword, |it| &mut it.specification),
            Statement::Symmetry => self.one(keyword, |it| &mut it.symmetry),
            Statement::View => self.one(keyword, |it| &mut it.view),
            Statement::Alias => self.one(keyword, |it| &mut it.alias),
            Statement::Periodic => self.one(keyword, |it| &mut it.periodic),
            Statement::RlReward => self.one(keyword, |it| &mut it.rl_reward),
            Statement::Invariants => self.list(|it| &mut it.invariants),
            Statement::Properties => self.list(|it| &mut it.properties),
            Statement::Constraints => self.list(|it| &mut it.constraints),
            Statement::ActionConstraints => self.list(|it| &mut it.action_constraints),
            Statement::Postconditions => self.list(|it| &mut it.postconditions),
            Statement::Possible => self.list(|it| &mut it.possible),
        }
    }

    fn no_name(&mut self, keyword: Span) -> Broken {
        let word = self.text_of(keyword).to_owned();
        self.diagnostics.push(
            Diagnostic::error("E5003", keyword, format!("{word} is not followed by a name"))
                .label("a name is missing after it"),
        );
        Broken
    }

    fn one(
        &mut self,
        keyword: Span,
        place: impl Fn(&mut Config) -> &mut Option<ConfigName>,
    ) -> Result<(), Broken> {
        if matches!(self.peek().token, Token::End | Token::Keyword(_)) {
            return Err(self.no_name(keyword));
        }
        let name = self.name()?;
        place(&mut self.config).get_or_insert(name);
        match &self.peek().token {
            Token::End | Token::Keyword(_) => Ok(()),
            _ => {
                let word = self.text_of(keyword).to_owned();
                let span = self.peek().span;
                let found = self.found();
                if keyword_like(self.text_of(span)).is_some() {
                    self.no_keyword(span);
                    return Err(Broken);
                }
                self.diagnostics.push(
                    Diagnostic::error("E5006", span, format!("expected a keyword, found {found}"))
                        .help(format!(
                            "{word} takes the name of one definition; define an operator for anything longer"
                        )),
                );
                Err(Broken)
            }
        }
    }

    fn list(&mut self, place: impl Fn(&mut Config) -> &mut Vec<ConfigName>) -> Result<(), Broken> {
        loop {
            if matches!(self.peek().token, Token::End | Token::Keyword(_)) {
                return Ok(());
            }
            let lexeme = self.peek();
            let no_name = match lexeme.token {
                Token::Symbol => !is_definable(self.text_of(lexeme.span)),
                Token::String(_) => true,
                Token::Word | Token::Number | Token::Keyword(_) | Token::End => false,
            };
            if no_name {
                // TLC takes it for a name that nothing defines.
                let text = format!(
                    "expected the name of a definition or a keyword, found {}",
                    self.found()
                );
                let diagnostic = Diagnostic::error("E2229", lexeme.span, text);
                self.diagnostics.push(diagnostic.help("names are separated by blanks"));
                self.advance();
                continue;
            }
            let name = self.name()?;
            place(&mut self.config).push(name);
        }
    }

    /// A name: an identifier, a path `A!B!c`, or an operator symbol.
    fn name(&mut self) -> Result<ConfigName, Broken> {
        let first = self.peek().clone();
        match first.token {
            Token::Word | Token::Number => {
                self.advance();
                let mut span = first.span;
                let mut name = self.text_of(span).to_owned();
                while self.at_symbol("!") {
                    self.advance();
                    let part = self.peek().clone();
                    match part.token {
                        Token::Word | Token::Number | Token::Symbol => {
                            self.advance();
                            name.push('!');
                            name.push_str(&self.symbol_name(part.span));
                            span = span.to(part.span);
                        }
                        Token::Keyword(_) | Token::String(_) | Token::End => {
                            return Err(self.expected("a name after `!`"));
                        }
                    }
                }
                Ok(ConfigName { name: Name::from(name), span })
            }
            Token::Symbol if is_definable(self.text_of(first.span)) => {
                self.advance();
                Ok(ConfigName { name: self.symbol_name(first.span), span: first.span })
            }
            Token::Symbol | Token::String(_) | Token::Keyword(_) | Token::End => {
                Err(self.expected("a name"))
            }
        }
    }

    fn symbol_name(&self, span: Span) -> Name {
        let text = self.text_of(span);
        match canonical_name(text) {
            Some(name) => Name::new_static(name),
            None => Name::new(text),
        }
    }

    fn constants(&mut self) -> Result<(), Broken> {
        loop {
            if matches!(self.peek().token, Token::End | Token::Keyword(_)) {
                return Ok(());
            }
            self.constant()?;
        }
    }

    fn constant(&mut self) -> Result<(), Broken> {
        let name = self.name()?;
        let start = name.span;
        let args = if self.eat("(") {
            let mut args = Vec::new();
            loop {
                args.push(self.value()?);
                if self.eat(")") {
                    break;
                }
                if !self.eat(",") {
                    return Err(self.expected("`,` or `)`"));
                }
            }
            Some(args)
        } else {
            None
        };
        let definition = if self.eat("<-") {
            true
        } else if self.eat("=") {
            false
        } else {
            let broken = self.expected("`=` or `<-`");
            let span = self.peek().span;
            if let Some(last) = self.diagnostics.last_mut() {
                last.secondary.push(lockstep_syntax::Label {
                    span: name.span,
                    text: format!("after `{}`", name.name),
                });
                if self.text.get(span.start as usize..span.end as usize) == Some(",") {
                    last.help = Some("constants are separated by blanks".to_owned());
                }
            }
            return Err(broken);
        };
        let module = if self.eat("[") {
            let module = self.name()?;
            if !self.eat("]") {
                return Err(self.expected("`]`"));
            }
            Some(module)
        } else {
            None
        };
        let to = if definition {
            if args.is_some() {
                let span = self.peek().span;
                self.diagnostics.push(
                    Diagnostic::error(
                        "E5006",
                        span,
                        format!(
                            "the values of `{}` at single points are given with `=`",
                            name.name
                        ),
                    )
                    .help("to replace the whole operator write `Op <- Definition`"),
                );
            }
            ConstantTarget::Definition(self.name()?)
        } else {
            ConstantTarget::Value(self.value()?)
        };
        let end = self.lexemes[self.at.saturating_sub(1)].span;
        let span = start.to(end);
        self.config.constants.push(ConstantBinding { name, args, module, to, span });
        Ok(())
    }

    fn value(&mut self) -> Result<ConfigValue, Broken> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.value_inner())
    }

    fn value_inner(&mut self) -> Result<ConfigValue, Broken> {
        let lexeme = self.peek().clone();
        let text = self.text_of(lexeme.span);
        match lexeme.token {
            Token::Number => match text.parse() {
                Ok(value) => {
                    self.advance();
                    Ok(ConfigValue::Integer(value))
                }
                Err(_) => {
                    let headline = format!("the number {text} is too large");
                    self.diagnostics.push(Diagnostic::error("E5002", lexeme.span, headline));
                    self.advance();
                    Err(Broken)
                }
            },
            Token::String(value) => {
                self.advance();
                Ok(ConfigValue::String(value))
            }
            Token::Word | Token::Keyword(_) => {
                let value = match text {
                    "TRUE" => ConfigValue::Boolean(true),
                    "FALSE" => ConfigValue::Boolean(false),
                    text => ConfigValue::ModelValue(Name::new(text)),
                };
                self.advance();
                Ok(value)
            }
            Token::Symbol if text == "{" => {
                self.advance();
                let mut items = Vec::new();
                if self.eat("}") {
                    return Ok(ConfigValue::Set(items));
                }
                loop {
                    items.push(self.value()?);
                    if self.eat("}") {
                        return Ok(ConfigValue::Set(items));
                    }
                    if !self.eat(",") {
                        return Err(self.expected("`,` or `}`"));
                    }
                }
            }
            Token::Symbol if text == "-" => {
                let broken = self.expected("a value");
                if let Some(last) = self.diagnostics.last_mut() {
                    last.help = Some(
                        "a configuration has no negative numbers; define one in the module and write `c <- Definition`"
                            .to_owned(),
                    );
                }
                Err(broken)
            }
            Token::Symbol if canonical_name(text).is_some() || text == "@" => {
                let value = ConfigValue::ModelValue(Name::new(text));
                self.advance();
                Ok(value)
            }
            Token::Symbol | Token::End => Err(self.expected("a value")),
        }
    }
}

/// The keyword that a word may be a misspelling of.
fn keyword_like(word: &str) -> Option<Name> {
    let keywords: Vec<Name> = KEYWORDS.iter().map(|(it, _)| Name::new_static(it)).collect();
    suggest::closest(&word.to_ascii_uppercase(), &keywords).cloned()
}

/// Whether a symbol is an operator that a specification may define.
fn is_definable(text: &str) -> bool {
    canonical_name(text)
        .is_some_and(|name| OPERATORS.iter().any(|it| it.name == name && it.definable))
}

/// Whether a statement may stand more than once.
fn repeats(statement: Statement) -> bool {
    matches!(
        statement,
        Statement::Constants
            | Statement::Invariants
            | Statement::Properties
            | Statement::Constraints
            | Statement::ActionConstraints
            | Statement::Postconditions
            | Statement::Possible
    )
}
