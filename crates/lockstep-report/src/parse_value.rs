//! From TLC's text of a value back to the value.
//!
//! Never fails: what is not the text of a value is kept as a symbolic one.

use crate::value::Value;

impl Value {
    /// Reads a value as TLC prints it, on one line or broken into several.
    pub fn parse(text: &str) -> Value {
        let mut reader = Reader { text: text.trim(), at: 0 };
        match reader.value(0) {
            Some(value) if reader.at == reader.text.len() => value,
            _ => Value::Symbolic(text.trim().to_owned()),
        }
    }
}

/// Deeper values than this are kept as text.
const DEEPEST: usize = 500;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        if self.eat("<<") {
            return Some(Value::Tuple(self.list(">>", depth)?));
        }
        if self.eat("{") {
            return Some(Value::Set(self.list("}", depth)?));
        }
        if self.eat("[") {
            let mut fields = Vec::new();
            while !self.eat("]") {
                if !(fields.is_empty() || self.eat(",")) {
                    return None;
                }
                let name = self.word()?.to_owned();
                if !self.eat("|->") {
                    return None;
                }
                fields.push((name, self.value(depth + 1)?));
            }
            return Some(Value::Record(fields));
        }
        if self.eat("(") {
            let mut pairs = Vec::new();
            while !self.eat(")") {
                if !(pairs.is_empty() || self.eat("@@")) {
                    return None;
                }
                let key = self.value(depth + 1)?;
                if !self.eat(":>") {
                    return None;
                }
                pairs.push((key, self.value(depth + 1)?));
            }
            return Some(Value::Function(pairs));
        }
        if self.eat("\"") {
            return self.string();
        }
        let word = self.word()?.to_owned();
        Some(match word.as_str() {
            "TRUE" => Value::Bool(true),
            "FALSE" => Value::Bool(false),
            _ => self.number(&word),
        })
    }

    fn list(&mut self, close: &str, depth: usize) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !(items.is_empty() || self.eat(",")) {
                return None;
            }
            items.push(self.value(depth + 1)?);
        }
        Some(items)
    }

    fn string(&mut self) -> Option<Value> {
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((at, ch)) = chars.next() {
            match ch {
                '"' => {
                    self.at += at + 1;
                    return Some(Value::Str(out));
                }
                '\\' => out.push(match chars.next()?.1 {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'f' => '\u{c}',
                    other => other,
                }),
                _ => out.push(ch),
            }
        }
        None
    }

    fn word(&mut self) -> Option<&str> {
        self.skip();
        let rest = &self.text[self.at..];
        let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-' || it == '!';
        let length = rest.find(|it: char| !is_part(it)).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        self.at += length;
        Some(&rest[..length])
    }

    /// A number, an interval, or a model value.
    fn number(&mut self, word: &str) -> Value {
        let Ok(from) = word.parse::<i64>() else {
            let digits = word.trim_start_matches('-');
            if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) {
                return Value::BigInt(word.to_owned());
            }
            return Value::Model(word.to_owned());
        };
        let before = self.at;
        if self.eat("..") {
            if let Some(to) = self.word().and_then(|it| it.parse().ok()) {
                return Value::Interval(from, to);
            }
            self.at = before;
        }
        Value::Int(from)
    }
}

#[cfg(test)]
mod tests {
    use crate::value::Value;

    #[test]
    fn texts_survive() {
        for text in [
            "1",
            "-5",
            "1..3",
            "TRUE",
            "m1",
            "\"a\\\"b\\n\"",
            "{}",
            "<<>>",
            "{<<1, {2}>>, [a |-> \"x\", b |-> (1 :> m @@ 3 :> <<>>)]}",
        ] {
            let value = Value::parse(text);
            assert_eq!(value.text(), text);
            assert!(!matches!(value, Value::Symbolic(_)), "{text}");
        }
    }

    #[test]
    fn what_is_no_value_stays_as_it_is() {
        for text in ["[Nat -> {1}]", "SUBSET Nat", "{1", "", "(a |-> 1)"] {
            assert_eq!(Value::parse(text), Value::Symbolic(text.to_owned()));
        }
        assert_eq!(Value::parse("{ 1,\n  2 }").text(), "{1, 2}");
    }
}
