//! A value of TLA+ as a report needs it: a tree without sharing, laziness or hashes.
//!
//! Not the evaluator's value. Sets are listed in normal order, functions in the order of their
//! normalised domain, record fields in the order in which they are to be printed.

/// A value, for printing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// TRUE or FALSE.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that needs more than 64 bits, in decimal digits.
    BigInt(String),
    /// A string, without its quotes and unescaped.
    Str(String),
    /// A model value.
    Model(String),
    /// `{a, b}`, in normal order.
    Set(Vec<Value>),
    /// `a..b`, where it was built so.
    Interval(i64, i64),
    /// `<<a, b>>`.
    Tuple(Vec<Value>),
    /// `[a |-> 1]`.
    Record(Vec<(String, Value)>),
    /// `(a :> 1 @@ b :> 2)`, in the order of the domain. The empty function is the empty tuple.
    Function(Vec<(Value, Value)>),
    /// What has no finite listing (`Nat`, `[S -> T]`, an operator): the text that TLC prints.
    Symbolic(String),
}

impl Value {
    /// The text that TLC prints, on one line.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Value::Bool(true) => out.push_str("TRUE"),
            Value::Bool(false) => out.push_str("FALSE"),
            Value::Int(it) => out.push_str(&it.to_string()),
            Value::BigInt(text) | Value::Model(text) | Value::Symbolic(text) => out.push_str(text),
            Value::Str(text) => out.push_str(&quoted(text)),
            Value::Set(items) => write_list("{", "}", items, out),
            Value::Interval(from, to) => out.push_str(&format!("{from}..{to}")),
            Value::Tuple(items) => write_list("<<", ">>", items, out),
            Value::Record(fields) => {
                out.push('[');
                for (idx, (name, value)) in fields.iter().enumerate() {
                    if idx > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(name);
                    out.push_str(" |-> ");
                    value.write(out);
                }
                out.push(']');
            }
            Value::Function(pairs) => {
                out.push('(');
                for (idx, (key, value)) in pairs.iter().enumerate() {
                    if idx > 0 {
                        out.push_str(" @@ ");
                    }
                    key.write(out);
                    out.push_str(" :> ");
                    value.write(out);
                }
                out.push(')');
            }
        }
    }

    /// The elements of an interval, the least first; of anything else nothing.
    pub fn interval_elements(&self) -> Vec<Value> {
        match self {
            Value::Interval(from, to) => (*from..=*to).map(Value::Int).collect(),
            _ => Vec::new(),
        }
    }

    /// The JSON that TLC's `ToJson` gives: sets and tuples are arrays, records and functions are
    /// objects whose keys are printed values, model values are strings.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        let array = |items: &[Value]| Json::Array(items.iter().map(Value::to_json).collect());
        match self {
            Value::Bool(it) => Json::Bool(*it),
            Value::Int(it) => Json::from(*it),
            Value::BigInt(text) => Json::String(text.clone()),
            Value::Str(text) | Value::Model(text) | Value::Symbolic(text) => {
                Json::String(text.clone())
            }
            Value::Set(items) | Value::Tuple(items) => array(items),
            Value::Interval(..) => array(&self.interval_elements()),
            Value::Record(fields) => {
                Json::Object(fields.iter().map(|(k, v)| (k.clone(), v.to_json())).collect())
            }
            Value::Function(pairs) => {
                Json::Object(pairs.iter().map(|(k, v)| (k.key(), v.to_json())).collect())
            }
        }
    }

    /// The text of a value as a key of a JSON object: strings without quotes.
    pub fn key(&self) -> String {
        match self {
            Value::Str(text) => text.clone(),
            _ => self.text(),
        }
    }

    /// Whether a model value occurs in it, and which.
    pub fn model_values(&self, found: &mut std::collections::BTreeSet<String>) {
        match self {
            Value::Model(name) => {
                found.insert(name.clone());
            }
            Value::Set(items) | Value::Tuple(items) => {
                items.iter().for_each(|it| it.model_values(found));
            }
            Value::Record(fields) => fields.iter().for_each(|(_, it)| it.model_values(found)),
            Value::Function(pairs) => pairs.iter().for_each(|(key, value)| {
                key.model_values(found);
                value.model_values(found);
            }),
            Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Str(_)
            | Value::Interval(..)
            | Value::Symbolic(_) => {}
        }
    }
}

fn write_list(open: &str, close: &str, items: &[Value], out: &mut String) {
    out.push_str(open);
    for (idx, item) in items.iter().enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        item.write(out);
    }
    out.push_str(close);
}

/// A string with its quotes and escapes, as TLA+ writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for ch in text.chars() {
        match ch {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            _ => out.push(ch),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn texts_and_json() {
        let value = Value::Record(vec![
            ("a".into(), Value::Tuple(vec![Value::Int(-1), Value::Str("x\"\n".into())])),
            ("b".into(), Value::Function(vec![(Value::Int(0), Value::Interval(1, 3))])),
            ("c".into(), Value::Set(vec![Value::Model("m".into()), Value::Bool(true)])),
        ]);
        assert_eq!(value.text(), r#"[a |-> <<-1, "x\"\n">>, b |-> (0 :> 1..3), c |-> {m, TRUE}]"#);
        assert_eq!(
            value.to_json().to_string(),
            r#"{"a":[-1,"x\"\n"],"b":{"0":[1,2,3]},"c":["m",true]}"#
        );
    }
}
