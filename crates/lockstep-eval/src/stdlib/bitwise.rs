//! Module Bitwise, on numbers that are not negative.

use super::args::natural;
use super::{Native, V1, V2, strict};
use crate::error::EvalResult;
use crate::value::{Ctx, Value};

pub(super) const TABLE: &[Native] = &[
    strict("Bitwise", "&", V2, "Bits set in both.", |ctx, a| bits(ctx, "&", a, |x, y| x & y)),
    strict("Bitwise", "|", V2, "Bits set in either.", |ctx, a| bits(ctx, "|", a, |x, y| x | y)),
    strict("Bitwise", "^^", V2, "Bits set in one only.", |ctx, a| bits(ctx, "^^", a, |x, y| x ^ y)),
    strict("Bitwise", "Not", V1, "All bits up to the highest one flipped.", |ctx, a| {
        let x = natural(ctx, "", "Not", &a[0])? as u32;
        let width = u32::BITS - x.leading_zeros();
        Ok(Value::Int((!x & ((1_u32 << width).wrapping_sub(1))) as i32))
    }),
    strict("Bitwise", "shiftR", V2, "Bits moved down.", |ctx, a| {
        bits(ctx, "shiftR", a, |x, by| if by > 31 { 0 } else { x >> by })
    }),
];

fn bits(
    ctx: &mut Ctx,
    name: &str,
    args: &[Value],
    op: fn(usize, usize) -> usize,
) -> EvalResult<Value> {
    let x = natural(ctx, "first", name, &args[0])?;
    let y = natural(ctx, "second", name, &args[1])?;
    // Both operands have 31 bits, and so has the result.
    Ok(Value::Int(op(x, y) as i32))
}
