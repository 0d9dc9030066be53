//! Filters evaluated as a whole (see [`crate::ir::Image`]).

use super::machine::Machine;
use crate::ir::{Image, ImagePart, Program};
use crate::value::{Ctx, Items, Value, image};

impl Machine {
    /// The elements of `set` that an image has. `None` where every element must be looked at: the
    /// values are not of the kinds that hashes know, or something fails, which may then be an
    /// error, or not be asked for.
    pub(super) fn image(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        set: &Value,
        it: &Image,
    ) -> Option<Value> {
        let Value::Set(base) = set else { return None };
        let base = base.elements().ok()?;
        // Nothing is evaluated for no element.
        if base.is_empty() {
            return Some(set.clone());
        }
        let sources: Items = match it.sources {
            None => Items::from_elem(Value::FALSE, 1),
            Some(node) => match self.eval(ctx, p, node).ok()? {
                Value::Set(node) => node.elements().ok()?.iter().cloned().collect(),
                _ => return None,
            },
        };
        if sources.is_empty() {
            return Some(Value::set_of_sorted(Items::new()));
        }
        let mut rows = Vec::with_capacity(sources.len());
        let mut fixed = Items::with_capacity(it.parts.len());
        for part in &it.parts {
            fixed.push(match part {
                ImagePart::Fixed(node) => self.eval(ctx, p, *node).ok()?,
                ImagePart::Element | ImagePart::Source => Value::FALSE,
            });
        }
        for source in sources {
            let mut parts = fixed.clone();
            for (place, part) in parts.iter_mut().zip(&it.parts) {
                if *part == ImagePart::Source {
                    *place = source.clone();
                }
            }
            rows.push(parts);
        }
        let open: smallvec::SmallVec<[bool; 4]> =
            it.parts.iter().map(|part| *part == ImagePart::Element).collect();
        let relation = self.operand(ctx, p, it.relation).ok()?;
        let Value::Set(relation) = self.get(&relation) else { return None };
        let found = image(ctx, base, relation, &open, &rows, it.negated)?;
        Some(Value::set_of_sorted(found))
    }
}
