//! Module Json: values as JSON text, and back.
//!
//! Sets and sequences are arrays, other functions are objects with the text of each key. Reading
//! gives tuples, records, strings, integers and Booleans.

use std::rc::Rc;

use super::args::text;
use super::{Native, V1, V2, strict};
use crate::error::{EvalError, EvalResult};
use crate::value::{
    Ctx, Host, SetIter, Value, entries, force, from_pairs, record, sequences, sets,
};

pub(super) const TABLE: &[Native] = &[
    strict("Json", "ToJson", V1, "A value as JSON.", |ctx, a| {
        let mut out = String::new();
        to_json(ctx, &a[0], &mut out)?;
        Ok(ctx.string(&out))
    }),
    strict("Json", "ToJsonArray", V1, "A set or sequence as a JSON array.", |ctx, a| {
        let mut out = String::new();
        array(ctx, &a[0], &mut out)?;
        Ok(ctx.string(&out))
    }),
    strict("Json", "ToJsonObject", V1, "A function as a JSON object.", |ctx, a| {
        let mut out = String::new();
        object(ctx, &a[0], &mut out)?;
        Ok(ctx.string(&out))
    }),
    strict("Json", "JsonSerialize", V2, "Writes a value to a JSON file.", |ctx, a| {
        let mut out = String::new();
        to_json(ctx, &a[1], &mut out)?;
        write(ctx, "JsonSerialize", &a[0], &out)
    })
    .acts(),
    strict("Json", "ndJsonSerialize", V2, "Writes one JSON value a line.", |ctx, a| {
        let mut out = String::new();
        let items = match sequences::elements(ctx, &a[1])? {
            Some(items) => items.into_vec(),
            None => {
                let mut iter = SetIter::new(ctx, &a[1])?;
                let mut items = Vec::new();
                while let Some(item) = iter.next(ctx)? {
                    items.push(item);
                }
                items
            }
        };
        for item in items {
            to_json(ctx, &item, &mut out)?;
            out.push('\n');
        }
        write(ctx, "ndJsonSerialize", &a[0], &out)
    })
    .acts(),
    // What is read stands for a constant of the specification: it is read once, as a constant
    // definition is evaluated once.
    strict("Json", "JsonDeserialize", V1, "The value in a JSON file.", |ctx, a| {
        let text = read(ctx, "JsonDeserialize", &a[0])?;
        from_json(ctx, &text)
    }),
    strict("Json", "ndJsonDeserialize", V1, "The values in a file of JSON lines.", |ctx, a| {
        let text = read(ctx, "ndJsonDeserialize", &a[0])?;
        let mut items = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            items.push(from_json(ctx, line)?);
        }
        Ok(Value::tuple(items))
    }),
];

/// The host, or an error that says that there is none.
pub(super) fn host(ctx: &Ctx) -> EvalResult<Rc<dyn Host>> {
    ctx.host.clone().ok_or_else(|| {
        EvalError::general("Files and processes are not available where this is evaluated.")
    })
}

fn write(ctx: &mut Ctx, operator: &str, path: &Value, out: &str) -> EvalResult<Value> {
    let path = text(ctx, "first", operator, path)?;
    host(ctx)?
        .write_file(&path, out, false)
        .map_err(|err| EvalError::general(format!("Cannot write {path}: {err}")))?;
    Ok(Value::TRUE)
}

/// The text of a file.
pub(super) fn read(ctx: &mut Ctx, operator: &str, path: &Value) -> EvalResult<String> {
    let path = text(ctx, "first", operator, path)?;
    host(ctx)?
        .read_file(&path)
        .map_err(|err| EvalError::general(format!("Cannot read {path}: {err}")))
}

/// A JSON string.
fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a value as JSON.
pub fn to_json(ctx: &mut Ctx, value: &Value, out: &mut String) -> EvalResult<()> {
    match value {
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::Str(sym) => string(&ctx.text(*sym).clone(), out),
        Value::Model(id) => string(&ctx.model_name(*id).clone(), out),
        Value::Interval(..) | Value::Set(_) | Value::Tuple(_) => array(ctx, value, out)?,
        Value::Record(node) if node.values().is_empty() => out.push_str("[]"),
        Value::Record(_) | Value::Function(_) => {
            if sequences::elements(ctx, value)?.is_some() {
                array(ctx, value, out)?;
            } else {
                object(ctx, value, out)?;
            }
        }
        Value::Lazy(_) => {
            let finite = if value.is_set() {
                sets::is_enumerable(value)
            } else {
                let domain = crate::value::domain(ctx, value)?;
                sets::is_enumerable(&domain)
            };
            if !finite {
                let text = crate::value::to_text(ctx, value);
                return Err(EvalError::general(format!(
                    "Cannot convert value: unsupported value\n{text}"
                )));
            }
            let forced = force(ctx, value)?;
            to_json(ctx, &forced, out)?;
        }
    }
    Ok(())
}

fn array(ctx: &mut Ctx, value: &Value, out: &mut String) -> EvalResult<()> {
    out.push('[');
    let mut first = true;
    if let Some(items) = sequences::elements(ctx, value)? {
        for item in items {
            separate(&mut first, out);
            to_json(ctx, &item, out)?;
        }
    } else {
        let mut iter = SetIter::new(ctx, value)?;
        while let Some(item) = iter.next(ctx)? {
            separate(&mut first, out);
            to_json(ctx, &item, out)?;
        }
    }
    out.push(']');
    Ok(())
}

fn separate(first: &mut bool, out: &mut String) {
    if !*first {
        out.push(',');
    }
    *first = false;
}

fn object(ctx: &mut Ctx, value: &Value, out: &mut String) -> EvalResult<()> {
    let value = force(ctx, value)?;
    let Some(list) = entries(&value) else {
        let text = crate::value::to_text(ctx, &value);
        return Err(EvalError::general(format!("Cannot convert value: not a function\n{text}")));
    };
    let is_tuple = matches!(value, Value::Tuple(_));
    out.push('{');
    for idx in 0..list.len() {
        if idx > 0 {
            out.push(',');
        }
        let key = match list.key(idx) {
            // The elements of a tuple are numbered from zero in an object.
            Value::Int(n) if is_tuple => (n - 1).to_string(),
            Value::Str(sym) => ctx.text(sym).to_string(),
            key => crate::value::to_text(ctx, &key),
        };
        string(&key, out);
        out.push(':');
        to_json(ctx, list.value(idx), out)?;
    }
    out.push('}');
    Ok(())
}

/// The value of a JSON text.
pub fn from_json(ctx: &mut Ctx, text: &str) -> EvalResult<Value> {
    let parsed: serde_json::Value = serde_json::from_str(text)
        .map_err(|err| EvalError::general(format!("The text is not JSON: {err}")))?;
    convert(ctx, &parsed)
}

fn convert(ctx: &mut Ctx, json: &serde_json::Value) -> EvalResult<Value> {
    Ok(match json {
        serde_json::Value::Null => ctx.string("null"),
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => match n.as_i64().and_then(|n| i32::try_from(n).ok()) {
            Some(n) => Value::Int(n),
            None => {
                return Err(EvalError::general(format!(
                    "The JSON number {n} is not an integer of 32 bits."
                )));
            }
        },
        serde_json::Value::String(s) => ctx.string(s),
        serde_json::Value::Array(list) => {
            let mut items = Vec::with_capacity(list.len());
            for item in list {
                items.push(convert(ctx, item)?);
            }
            Value::tuple(items)
        }
        serde_json::Value::Object(map) => {
            if map.is_empty() {
                return from_pairs(ctx, Vec::new());
            }
            let mut fields = Vec::with_capacity(map.len());
            for (name, value) in map {
                let name = ctx.names.intern(name);
                fields.push((name, convert(ctx, value)?));
            }
            record(ctx, fields)
        }
    })
}
