//! Module SVG (text of elements, places on a ring) and Statistics.

use super::args::{integer, sequence};
use super::io_utils::plain;
use super::{Native, Param, V1, V3, strict};
use crate::error::EvalResult;
use crate::value::{Ctx, Value, entries, force, record, select_field};

const V5: &[Param] = &[Param::Value; 5];

pub(super) const TABLE: &[Native] = &[
    strict("SVG", "SVGElemToString", V1, "An element as markup.", |ctx, a| {
        let mut out = String::new();
        markup(ctx, &a[0], &mut out)?;
        Ok(ctx.string(&out))
    }),
    strict("SVG", "NodeOfRingNetwork", V5, "The place of a node on a ring.", ring),
    strict("Statistics", "ChiSquare", V3, "Whether counts fit an expectation.", chi_square),
];

fn field(ctx: &mut Ctx, element: &Value, name: &str) -> EvalResult<Value> {
    let name = ctx.names.intern(name);
    select_field(ctx, element, name)
}

fn markup(ctx: &mut Ctx, element: &Value, out: &mut String) -> EvalResult<()> {
    let name = field(ctx, element, "name")?;
    let name = plain(ctx, &name);
    let attributes = field(ctx, element, "attrs")?;
    let attributes = force(ctx, &attributes)?;
    out.push('<');
    out.push_str(&name);
    if let Some(list) = entries(&attributes) {
        for idx in 0..list.len() {
            // A name in TLA+ cannot hold the dash that names in SVG have.
            let key = plain(ctx, &list.key(idx)).replace('_', "-");
            let value = plain(ctx, list.value(idx));
            out.push_str(&format!(" {key}='{value}'"));
        }
    }
    out.push('>');
    let inner = field(ctx, element, "innerText")?;
    out.push_str(&escaped(&plain(ctx, &inner)));
    let children = field(ctx, element, "children")?;
    for child in sequence(ctx, "", "SVGElemToString", &children)? {
        markup(ctx, &child, out)?;
    }
    out.push_str(&format!("</{name}>"));
    Ok(())
}

/// Text between marks.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn ring(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let mut n = [0_i32; 5];
    for (idx, arg) in args.iter().enumerate() {
        n[idx] = integer(ctx, "", "NodeOfRingNetwork", arg)?;
    }
    let [cx, cy, r, node, nodes] = n;
    let angle = 2.0 * std::f64::consts::PI * f64::from(node) / f64::from(nodes.max(1));
    // Cut off only at the end: that is what decides between two neighbours.
    let place =
        |center: i32, part: f64| Value::Int((f64::from(center) + f64::from(r) * part) as i32);
    let fields = vec![
        (ctx.names.intern("x"), place(cx, angle.cos())),
        (ctx.names.intern("y"), place(cy, angle.sin())),
    ];
    Ok(record(ctx, fields))
}

/// The numbers of a function, which may be text such as `"0.05"`.
fn number(ctx: &mut Ctx, value: &Value) -> f64 {
    plain(ctx, value).parse().unwrap_or(0.0)
}

fn chi_square(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let (expected, actual) = (force(ctx, &args[0])?, force(ctx, &args[1])?);
    let (Some(expected), Some(actual)) = (entries(&expected), entries(&actual)) else {
        return Ok(Value::FALSE);
    };
    let expected: Vec<f64> = expected.values().iter().map(|it| number(ctx, it)).collect();
    let actual: Vec<f64> = actual.values().iter().map(|it| number(ctx, it)).collect();
    let alpha = number(ctx, &args[2]);
    let scale = actual.iter().sum::<f64>() / expected.iter().sum::<f64>();
    let statistic: f64 = expected
        .iter()
        .zip(&actual)
        .map(|(e, a)| {
            let e = e * scale;
            (a - e) * (a - e) / e
        })
        .sum();
    let freedom = expected.len() as f64 - 1.0;
    // The hypothesis stands unless it is rejected at level alpha.
    Ok(Value::Bool(1.0 - lower_gamma(freedom / 2.0, statistic / 2.0) >= alpha))
}

/// The regularised lower incomplete gamma function by its power series.
fn lower_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x > 700.0 {
        return 1.0;
    }
    let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
    while term > sum * 1e-15 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    (sum * (a * x.ln() - x - ln_gamma(a)).exp()).min(1.0)
}

/// The logarithm of the gamma function by Stirling's series, shifted up for accuracy.
fn ln_gamma(a: f64) -> f64 {
    let (mut shift, mut x) = (0.0, a);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}
