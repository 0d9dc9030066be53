//! Breaking the text of a value into lines of at most 80 columns, the way TLC prints states.
//!
//! Works on the flat text, not on a value, so that whatever wrote the text (a state, Print, an
//! error message) comes out alike. What is not the text of a value (symbolic sets, operators) is
//! returned as it is; so is a text with an escaped quote, because TLC does not break those and
//! tools compare.

/// The width that TLC breaks at.
const WIDTH: usize = 80;

/// A value's text with its brackets found.
enum Node<'a> {
    /// What cannot be broken.
    Atom(&'a str),
    /// `{…}` and `<<…>>`.
    List { open: &'static str, close: &'static str, items: Vec<Node<'a>> },
    /// `[a |-> …]` and `(a :> …)`.
    Map(Map<'a>),
}

struct Map<'a> {
    open: &'static str,
    close: &'static str,
    arrow: &'static str,
    separator: &'static str,
    items: Vec<(Node<'a>, Node<'a>)>,
}

/// Breaks `text` if it is wider than TLC's 80 columns.
pub fn pretty(text: &str) -> String {
    if text.chars().count() <= WIDTH || text.contains("\\\"") {
        return text.to_owned();
    }
    let mut parser = Parser { text, at: 0 };
    match parser.value() {
        Some(node) if parser.at == text.len() => {
            let mut out = String::with_capacity(text.len() * 2);
            write(&node, 0, 0, &mut out);
            out
        }
        _ => text.to_owned(),
    }
}

/// Prints at column `column`, with `trailing` more columns to follow on the last line.
fn write(node: &Node<'_>, column: usize, trailing: usize, out: &mut String) {
    if column + width(node) + trailing <= WIDTH {
        flat(node, out);
        return;
    }
    match node {
        Node::Atom(text) => out.push_str(text),
        Node::List { open, close, items } => {
            let inner = column + open.len() + 1;
            out.push_str(open);
            out.push(' ');
            for (idx, item) in items.iter().enumerate() {
                let last = idx + 1 == items.len();
                write(item, inner, if last { 1 + close.len() + trailing } else { 1 }, out);
                if !last {
                    out.push(',');
                    new_line(inner, out);
                }
            }
            out.push(' ');
            out.push_str(close);
        }
        Node::Map(map) => write_map(map, column, trailing, out),
    }
}

fn write_map(map: &Map<'_>, column: usize, trailing: usize, out: &mut String) {
    let inner = column + map.open.len() + 1;
    out.push_str(map.open);
    out.push(' ');
    for (idx, (key, value)) in map.items.iter().enumerate() {
        let last = idx + 1 == map.items.len();
        let after = if last { 1 + map.close.len() + trailing } else { map.separator.len() };
        let pair = width(key) + map.arrow.len() + 2 + width(value);
        if inner + pair + after <= WIDTH {
            flat(key, out);
            out.push(' ');
            out.push_str(map.arrow);
            out.push(' ');
            flat(value, out);
        } else {
            write(key, inner, map.arrow.len() + 1, out);
            out.push(' ');
            out.push_str(map.arrow);
            new_line(inner + 4, out);
            write(value, inner + 4, after, out);
        }
        if !last {
            out.push_str(map.separator);
            new_line(inner, out);
        }
    }
    out.push(' ');
    out.push_str(map.close);
}

fn new_line(column: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', column));
}

fn width(node: &Node<'_>) -> usize {
    match node {
        Node::Atom(text) => text.chars().count(),
        Node::List { open, close, items } => {
            let inner: usize = items.iter().map(width).sum();
            open.len() + close.len() + inner + items.len().saturating_sub(1) * 2
        }
        Node::Map(map) => {
            let inner: usize = (map.items.iter())
                .map(|(key, value)| width(key) + map.arrow.len() + 2 + width(value))
                .sum();
            let separators = map.items.len().saturating_sub(1) * (map.separator.len() + 1);
            map.open.len() + map.close.len() + inner + separators
        }
    }
}

fn flat(node: &Node<'_>, out: &mut String) {
    match node {
        Node::Atom(text) => out.push_str(text),
        Node::List { open, close, items } => {
            out.push_str(open);
            for (idx, item) in items.iter().enumerate() {
                if idx > 0 {
                    out.push_str(", ");
                }
                flat(item, out);
            }
            out.push_str(close);
        }
        Node::Map(map) => {
            out.push_str(map.open);
            for (idx, (key, value)) in map.items.iter().enumerate() {
                if idx > 0 {
                    out.push_str(map.separator);
                    out.push(' ');
                }
                flat(key, out);
                out.push(' ');
                out.push_str(map.arrow);
                out.push(' ');
                flat(value, out);
            }
            out.push_str(map.close);
        }
    }
}

/// A cursor over the flat text. `None` means that the text is not that of a value.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self) -> Option<Node<'a>> {
        if self.eat("<<") {
            return self.list("<<", ">>");
        }
        if self.eat("{") {
            return self.list("{", "}");
        }
        if self.eat("[") {
            return self.map("[", "]", "|->", ",");
        }
        if self.eat("(") {
            return self.map("(", ")", ":>", " @@");
        }
        self.atom()
    }

    fn list(&mut self, open: &'static str, close: &'static str) -> Option<Node<'a>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() && !self.eat(", ") {
                return None;
            }
            items.push(self.value()?);
        }
        Some(Node::List { open, close, items })
    }

    fn map(
        &mut self,
        open: &'static str,
        close: &'static str,
        arrow: &'static str,
        separator: &'static str,
    ) -> Option<Node<'a>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            let first = items.is_empty();
            if !(first || self.eat(separator) && self.eat(" ")) {
                return None;
            }
            let key = self.value()?;
            if !(self.eat(" ") && self.eat(arrow) && self.eat(" ")) {
                return None;
            }
            items.push((key, self.value()?));
        }
        Some(Node::Map(Map { open, close, arrow, separator, items }))
    }

    fn atom(&mut self) -> Option<Node<'a>> {
        let rest = self.rest();
        let length = if let Some(string) = rest.strip_prefix('"') {
            string.find('"')? + 2
        } else {
            rest.find([' ', ',', '}', ']', ')', '>', '{', '[', '(', '<', '"']).unwrap_or(rest.len())
        };
        if length == 0 {
            return None;
        }
        self.at += length;
        Some(Node::Atom(&rest[..length]))
    }
}

#[cfg(test)]
mod tests {
    use super::pretty;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&format!("{}\n", pretty(text)));
    }

    fn word(letter: char, length: usize) -> String {
        std::iter::repeat_n(letter, length).collect()
    }

    #[test]
    fn eighty_columns_stay_on_one_line() {
        let text = format!("<<\"{}\", \"{}\">>", word('a', 37), word('b', 33));
        assert_eq!(pretty(&text), text);
        check(
            &format!("<<\"{}\", \"{}\">>", word('a', 37), word('b', 34)),
            expect![[r#"
                << "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                   "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" >>
            "#]],
        );
    }

    #[test]
    fn a_value_that_does_not_fit_goes_below_its_key() {
        check(
            &format!("[a |-> <<\"{}\", 2>>, b |-> 1]", word('a', 65)),
            expect![[r#"
                [ a |->
                      << "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                         2 >>,
                  b |-> 1 ]
            "#]],
        );
    }

    #[test]
    fn brackets_that_close_later_count() {
        let (a, b) = (word('a', 50), word('b', 50));
        check(
            &format!("[b |-> {{[a |-> 1, b |-> \"{a}\"], [a |-> 2, b |-> \"{b}\"]}}]"),
            expect![[r#"
                [ b |->
                      { [a |-> 1, b |-> "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
                        [ a |-> 2,
                          b |-> "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" ] } ]
            "#]],
        );
    }

    #[test]
    fn a_key_that_does_not_fit_is_broken_as_well() {
        check(
            &format!(
                "(<<\"b\", \"c\">> :> 4 @@ <<\"{}\", \"{}\">> :> 1..3)",
                word('a', 63),
                word('a', 54)
            ),
            expect![[r#"
                ( <<"b", "c">> :> 4 @@
                  << "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" >> :>
                      1..3 )
            "#]],
        );
    }

    #[test]
    fn what_is_no_value_or_has_an_escaped_quote_stays() {
        let quoted = format!("<<\"quote\\\"mid\", \"{}\">>", word('a', 70));
        assert_eq!(pretty(&quoted), quoted);
        let symbolic = format!("[{{\"{}\"}} -> Nat]", word('a', 90));
        assert_eq!(pretty(&symbolic), symbolic);
    }
}
