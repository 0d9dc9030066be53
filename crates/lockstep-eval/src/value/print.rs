//! Values as text, as TLC prints them.
//!
//! Sets that can be enumerated are shown by their elements, except intervals; a function on
//! `1..n` looks like a tuple, one on strings like a record. Printing never fails: what cannot be
//! evaluated is shown in its symbolic form.

use std::fmt::Write;

use super::functions::{Entries, entries};
use super::sets::{is_enumerable, is_sequence_entries, size};
use super::{Ctx, Domain, LazyKind, LazyNode, Value, force, pretty};

/// Symbolic sets larger than this are not enumerated just to be shown.
const SHOWN: u64 = 100_000;

/// The text of a value on one line.
pub fn to_text(ctx: &mut Ctx, value: &Value) -> String {
    let mut out = String::new();
    write_value(ctx, value, &mut out);
    out
}

/// The text of a value, broken into lines where it is wider than 80 columns.
pub fn print_wrapped(ctx: &mut Ctx, value: &Value) -> String {
    pretty::wrap(&to_text(ctx, value))
}

/// A string in quotes, with escapes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\x0c' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn write_list<'a>(
    ctx: &mut Ctx,
    open: &str,
    items: impl Iterator<Item = &'a Value>,
    close: &str,
    out: &mut String,
) {
    out.push_str(open);
    for (idx, item) in items.enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        write_value(ctx, item, out);
    }
    out.push_str(close);
}

/// Writing to a `String` cannot fail.
fn put(out: &mut String, args: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(args);
}

fn write_value(ctx: &mut Ctx, value: &Value, out: &mut String) {
    match value {
        Value::Bool(b) => out.push_str(if *b { "TRUE" } else { "FALSE" }),
        Value::Int(n) => put(out, format_args!("{n}")),
        Value::Str(sym) => out.push_str(&quote(ctx.names.text(*sym))),
        Value::Model(id) => out.push_str(ctx.names.model_name(*id)),
        Value::Interval(lo, hi) => {
            if hi < lo {
                out.push_str("{}");
            } else {
                put(out, format_args!("{lo}..{hi}"));
            }
        }
        Value::Set(node) => write_list(ctx, "{", node.items.iter(), "}", out),
        Value::Tuple(node) => write_list(ctx, "<<", node.items.iter(), ">>", out),
        Value::Record(_) | Value::Function(_) => write_function(ctx, value, out),
        Value::Lazy(node) => write_lazy(ctx, value, node, out),
    }
}

fn write_function(ctx: &mut Ctx, value: &Value, out: &mut String) {
    let Some(list) = entries(value) else { return };
    if list.is_empty() {
        out.push_str("<<>>");
        return;
    }
    if is_sequence_entries(&list) {
        return write_list(ctx, "<<", list.values().iter(), ">>", out);
    }
    // Fields must be names, or what is printed could not be read again.
    let on_names = match &list {
        Entries::Function(node) if matches!(*node.domain, Domain::Interval(..)) => false,
        Entries::Tuple(_) => false,
        Entries::Record(_) | Entries::Function(_) => (0..list.len())
            .all(|idx| matches!(list.key(idx), Value::Str(sym) if is_name(ctx.names.text(sym)))),
    };
    out.push_str(if on_names { "[" } else { "(" });
    for idx in 0..list.len() {
        let key = list.key(idx);
        if on_names {
            if idx > 0 {
                out.push_str(", ");
            }
            if let Value::Str(sym) = key {
                out.push_str(ctx.names.text(sym));
            }
            out.push_str(" |-> ");
        } else {
            if idx > 0 {
                out.push_str(" @@ ");
            }
            write_value(ctx, &key, out);
            out.push_str(" :> ");
        }
        write_value(ctx, list.value(idx), out);
    }
    out.push_str(if on_names { "]" } else { ")" });
}

/// Whether a text is an identifier.
fn is_name(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
        && text.bytes().any(|it| it.is_ascii_alphabetic())
        && !text.starts_with("WF_")
        && !text.starts_with("SF_")
}

fn write_lazy(ctx: &mut Ctx, value: &Value, node: &LazyNode, out: &mut String) {
    let enumerable = match &node.kind {
        LazyKind::Lambda { domain, .. } => is_enumerable(domain),
        LazyKind::Nat
        | LazyKind::Int
        | LazyKind::Real
        | LazyKind::Strings
        | LazyKind::Any
        | LazyKind::Seq(_) => false,
        LazyKind::Subset(_)
        | LazyKind::FunctionSet { .. }
        | LazyKind::RecordSet { .. }
        | LazyKind::Product(_)
        | LazyKind::BigUnion(_)
        | LazyKind::Cup(..)
        | LazyKind::Cap(..)
        | LazyKind::Diff(..)
        | LazyKind::Filter { .. } => is_enumerable(value),
    };
    if enumerable {
        let small = match &node.kind {
            LazyKind::Lambda { domain, .. } => size(ctx, domain),
            _ => size(ctx, value),
        };
        if let Ok(Some(n)) = small
            && n <= SHOWN
            && let Ok(forced) = force(ctx, value)
            && !matches!(forced, Value::Lazy(_))
        {
            return write_value(ctx, &forced, out);
        }
    }
    match &node.kind {
        LazyKind::Nat => out.push_str("Nat"),
        LazyKind::Int => out.push_str("Int"),
        LazyKind::Real => out.push_str("Real"),
        LazyKind::Strings => out.push_str("STRING"),
        LazyKind::Any => out.push_str("ANY"),
        LazyKind::Seq(base) => {
            out.push_str("Seq(");
            write_value(ctx, base, out);
            out.push(')');
        }
        LazyKind::Subset(base) => {
            out.push_str("SUBSET ");
            write_value(ctx, base, out);
        }
        LazyKind::FunctionSet { domain, range } => {
            out.push('[');
            write_value(ctx, domain, out);
            out.push_str(" -> ");
            write_value(ctx, range, out);
            out.push(']');
        }
        LazyKind::RecordSet { shape, sets } => {
            out.push('[');
            for (idx, (name, set)) in shape.names.iter().zip(sets).enumerate() {
                if idx > 0 {
                    out.push_str(", ");
                }
                out.push_str(ctx.names.text(*name));
                out.push_str(" : ");
                write_value(ctx, set, out);
            }
            out.push(']');
        }
        LazyKind::Product(sets) => {
            out.push('(');
            for (idx, set) in sets.iter().enumerate() {
                if idx > 0 {
                    out.push_str(" \\X ");
                }
                write_value(ctx, set, out);
            }
            out.push(')');
        }
        LazyKind::BigUnion(base) => {
            out.push_str("UNION(");
            write_value(ctx, base, out);
            out.push(')');
        }
        LazyKind::Cup(a, b) => {
            // The side that can be enumerated comes first, as TLC shows it.
            let (a, b) = if is_enumerable(b) { (b, a) } else { (a, b) };
            write_value(ctx, a, out);
            out.push_str(" \\cup ");
            write_value(ctx, b, out);
        }
        LazyKind::Cap(a, b) => {
            write_value(ctx, a, out);
            out.push_str(" \\cap ");
            write_value(ctx, b, out);
        }
        LazyKind::Diff(a, b) => {
            write_value(ctx, a, out);
            out.push_str(" \\ ");
            write_value(ctx, b, out);
        }
        LazyKind::Filter { base, predicate } => {
            let (binder, location) = (predicate.binder(), predicate.location());
            put(out, format_args!("{{{binder} \\in "));
            write_value(ctx, base, out);
            put(out, format_args!(" : <expression {location}> }}"));
        }
        LazyKind::Lambda { domain, body, .. } => {
            let (binder, location) = (body.binder(), body.location());
            put(out, format_args!("[{binder} \\in "));
            write_value(ctx, domain, out);
            put(out, format_args!(" |-> <expression {location}>]"));
        }
    }
}
