//! Module FiniteSets.

use super::{Native, V1, strict};
use crate::value::{Value, sets};

pub(super) const TABLE: &[Native] = &[
    strict("FiniteSets", "IsFiniteSet", V1, "Whether a set is finite.", |ctx, a| {
        Ok(Value::Bool(sets::is_finite(ctx, &a[0])?))
    }),
    strict("FiniteSets", "Cardinality", V1, "The number of elements.", |ctx, a| {
        Ok(Value::Int(sets::cardinality(ctx, &a[0])?))
    }),
];
