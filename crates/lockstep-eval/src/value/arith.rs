//! Integer arithmetic of 32 bits with TLC's errors: nothing wraps silently.

use super::{Ctx, Value, to_text};
use crate::error::{EvalError, EvalResult, code};

/// Both arguments of an arithmetic operator as integers.
#[inline]
pub fn integers(ctx: &mut Ctx, operator: &str, a: &Value, b: &Value) -> EvalResult<(i32, i32)> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok((*x, *y)),
        (Value::Int(_), _) => Err(not_an_integer(ctx, operator, "second", b)),
        _ => Err(not_an_integer(ctx, operator, "first", a)),
    }
}

#[cold]
pub(crate) fn not_an_integer(
    ctx: &mut Ctx,
    operator: &str,
    which: &str,
    value: &Value,
) -> Box<EvalError> {
    let text = to_text(ctx, value);
    // To TLC the operators that yield integers are part of the language.
    let code = match operator {
        "+" | "-" | "*" | ".." => code::GENERAL,
        _ => code::ARGUMENT_AN,
    };
    EvalError::new(
        code,
        format!(
            "The {which} argument of {operator} should be an integer, but instead it is:\n{text}"
        ),
    )
    .with_values(vec![text])
}

#[cold]
fn overflow(a: i32, operator: &str, b: i32) -> Box<EvalError> {
    EvalError::new(code::OVERFLOW, format!("Overflow when computing {a}{operator}{b}"))
}

/// `a + b`.
#[inline]
pub fn add(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "+", a, b)?;
    x.checked_add(y).map(Value::Int).ok_or_else(|| overflow(x, "+", y))
}

/// `a - b`.
#[inline]
pub fn subtract(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "-", a, b)?;
    x.checked_sub(y).map(Value::Int).ok_or_else(|| overflow(x, "-", y))
}

/// `a * b`.
#[inline]
pub fn multiply(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "*", a, b)?;
    x.checked_mul(y).map(Value::Int).ok_or_else(|| overflow(x, "*", y))
}

/// `-a`.
#[inline]
pub fn negate(ctx: &mut Ctx, a: &Value) -> EvalResult<Value> {
    let Value::Int(x) = a else {
        let text = to_text(ctx, a);
        return Err(EvalError::new(
            code::GENERAL,
            format!("The argument of - should be an integer, but instead it is:\n{text}"),
        )
        .with_values(vec![text]));
    };
    x.checked_neg()
        .map(Value::Int)
        .ok_or_else(|| EvalError::new(code::OVERFLOW, format!("Overflow when computing -{x}")))
}

/// `a \div b`, rounded down.
#[inline]
pub fn divide(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "\\div", a, b)?;
    if y == 0 {
        return Err(EvalError::new(code::DIVISION_BY_ZERO, "The second argument of \\div is 0.")
            .with_values(vec![format!("{x} \\div 0")]));
    }
    let (wide, by) = (i64::from(x), i64::from(y));
    let quotient = wide.div_euclid(by);
    // Euclid rounds towards a remainder that is not negative; TLA+ rounds down.
    let floor = if by < 0 && wide.rem_euclid(by) != 0 { quotient - 1 } else { quotient };
    i32::try_from(floor).map(Value::Int).map_err(|_| overflow(x, " \\div ", y))
}

/// `a % b`.
#[inline]
pub fn modulo(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "%", a, b)?;
    if y <= 0 {
        return Err(EvalError::new(
            code::ARGUMENT,
            format!(
                "The second argument of % should be a positive number, but instead it is:\n{y}"
            ),
        ));
    }
    Ok(Value::Int(x.rem_euclid(y)))
}

/// `a ^ b`.
pub fn power(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "^", a, b)?;
    if y < 0 {
        return Err(EvalError::new(
            code::ARGUMENT,
            format!("The second argument of ^ should be a natural number, but instead it is:\n{y}"),
        ));
    }
    if x == 0 && y == 0 {
        return Err(EvalError::general("0^0 is undefined."));
    }
    x.checked_pow(y as u32).map(Value::Int).ok_or_else(|| overflow(x, "^", y))
}

/// `a .. b`.
#[inline]
pub fn interval(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = integers(ctx, "..", a, b)?;
    Ok(Value::Interval(x, y))
}

macro_rules! comparison {
    ($(#[$doc:meta] $name:ident, $text:literal, $op:tt;)*) => {$(
        #[$doc]
        #[inline]
        pub fn $name(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
            let (x, y) = integers(ctx, $text, a, b)?;
            Ok(Value::Bool(x $op y))
        }
    )*};
}

comparison! {
    /// `a < b`.
    less, "<", <;
    /// `a <= b`.
    less_equal, "<=", <=;
    /// `a > b`.
    greater, ">", >;
    /// `a >= b`.
    greater_equal, ">=", >=;
}
