//! Modules Naturals, Integers and Reals.

use super::{Native, V0, V1, V2, strict};
use crate::value::{LazyKind, Value, arith};

pub(super) const TABLE: &[Native] = &[
    strict("Naturals", "Nat", V0, "The natural numbers.", |_, _| Ok(Value::lazy(LazyKind::Nat))),
    strict("Naturals", "+", V2, "Sum.", |ctx, a| arith::add(ctx, &a[0], &a[1])),
    strict("Naturals", "-", V2, "Difference.", |ctx, a| arith::subtract(ctx, &a[0], &a[1])),
    strict("Naturals", "*", V2, "Product.", |ctx, a| arith::multiply(ctx, &a[0], &a[1])),
    strict("Naturals", "^", V2, "Power.", |ctx, a| arith::power(ctx, &a[0], &a[1])),
    strict("Naturals", "\\div", V2, "Quotient, rounded down.", |ctx, a| {
        arith::divide(ctx, &a[0], &a[1])
    }),
    strict("Naturals", "%", V2, "Remainder.", |ctx, a| arith::modulo(ctx, &a[0], &a[1])),
    strict("Naturals", "..", V2, "The integers between.", |ctx, a| {
        arith::interval(ctx, &a[0], &a[1])
    }),
    strict("Naturals", "<", V2, "Less.", |ctx, a| arith::less(ctx, &a[0], &a[1])),
    strict("Naturals", ">", V2, "Greater.", |ctx, a| arith::greater(ctx, &a[0], &a[1])),
    strict("Naturals", "\\leq", V2, "At most.", |ctx, a| arith::less_equal(ctx, &a[0], &a[1])),
    strict("Naturals", "\\geq", V2, "At least.", |ctx, a| arith::greater_equal(ctx, &a[0], &a[1])),
    strict("Integers", "Int", V0, "The integers.", |_, _| Ok(Value::lazy(LazyKind::Int))),
    strict("Integers", "-.", V1, "Negation.", |ctx, a| arith::negate(ctx, &a[0])),
    strict("Reals", "Real", V0, "The real numbers.", |_, _| Ok(Value::lazy(LazyKind::Real))),
];
