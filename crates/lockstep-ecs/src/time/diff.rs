//! Where two worlds differ, and where two runs part.
//!
//! Invariant: the first difference is the first in order of blocks, pages and rows; equal snapshots have none.

use crate::entity::Entity;
use crate::schedule::Schedule;
use crate::storage::archetype::locate;
use crate::world::World;

/// The first place where two worlds differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs: `rows`, `value`, `sparse`, or the name of a block.
    pub what: String,
    /// The archetype, as the names of its components.
    pub archetype: Option<Vec<String>>,
    /// The component, resource, relation or event type.
    pub component: Option<String>,
    /// The entity.
    pub entity: Option<Entity>,
    /// What the first world holds.
    pub left: String,
    /// What the second world holds.
    pub right: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        if let Some(c) = &self.component {
            write!(f, " of {c}")?;
        }
        if let Some(e) = self.entity {
            write!(f, " on {e}")?;
        }
        if let Some(a) = &self.archetype {
            write!(f, " in [{}]", a.join(", "))?;
        }
        write!(f, ": {} | {}", self.left, self.right)
    }
}

/// Where two runs part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The first frame after which the worlds differ.
    pub frame: u64,
    /// The first wave of it after which they differ; `None` when it was before the first wave.
    pub wave: Option<u32>,
    /// The systems of that wave that may have written what differs, in order.
    pub systems: Vec<String>,
    /// What differs.
    pub difference: Difference,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "frame {}", self.frame)?;
        if let Some(w) = self.wave {
            write!(f, ", wave {w} ({})", self.systems.join(", "))?;
        }
        write!(f, ": {}", self.difference)
    }
}

fn names(world: &World, archetype: &crate::storage::archetype::Archetype) -> Vec<String> {
    archetype.components.iter().map(|&c| world.registry.info(c).value.name.to_owned()).collect()
}

/// The first difference between two worlds.
#[must_use]
pub fn first_difference(left: &World, right: &World) -> Option<Difference> {
    let plain = |what: &str, l: String, r: String| Difference {
        what: what.to_owned(),
        archetype: None,
        component: None,
        entity: None,
        left: l,
        right: r,
    };
    for (a, b) in left.archetypes.iter().zip(right.archetypes.iter()) {
        let (na, nb) = (names(left, a), names(right, b));
        let (mut sa, mut sb) = (na.clone(), nb.clone());
        sa.sort();
        sb.sort();
        if sa != sb {
            return Some(plain("archetypes", format!("{sa:?}"), format!("{sb:?}")));
        }
        for row in 0..a.len.min(b.len) {
            let (ea, eb) = (a.entity(row), b.entity(row));
            if ea != eb {
                let mut d = plain("row", ea.to_string(), eb.to_string());
                (d.archetype, d.entity) = (Some(na), Some(ea));
                return Some(d);
            }
        }
        for (c, name) in na.iter().enumerate() {
            let column = &a.columns()[c];
            let Some(other) = nb.iter().position(|n| n == name) else { continue };
            let other = &b.columns()[other];
            let info = &left.registry.info(column.component).value;
            let Some(codec) = info.codec else { continue };
            let (mut x, mut y) = (Vec::new(), Vec::new());
            for row in 0..a.len.min(b.len) {
                let (page, offset) = locate(row);
                x.clear();
                y.clear();
                // SAFETY: rows below the length are live values of the component's type.
                unsafe {
                    (codec.encode)(column.at(page, offset), &mut x);
                    (codec.encode)(other.at(page, offset), &mut y);
                }
                if x != y {
                    return Some(Difference {
                        what: "value".to_owned(),
                        archetype: Some(na.clone()),
                        component: Some(name.clone()),
                        entity: Some(a.entity(row)),
                        // SAFETY: as above.
                        left: unsafe { info.show(column.at(page, offset)) },
                        // SAFETY: as above.
                        right: unsafe { info.show(other.at(page, offset)) },
                    });
                }
            }
        }
        if a.len != b.len {
            let mut d = plain("rows", a.len.to_string(), b.len.to_string());
            d.archetype = Some(na);
            let more = if a.len > b.len { a } else { b };
            d.entity = Some(more.entity(a.len.min(b.len)));
            return Some(d);
        }
    }
    let (Ok(l), Ok(r)) = (left.snapshot(), right.snapshot()) else { return None };
    let hex = |b: &[u8]| b.iter().take(64).map(|b| format!("{b:02x}")).collect::<String>();
    for (name, bytes) in l.blocks() {
        let other = r.blocks().find(|b| b.0 == name).map_or(&[][..], |b| b.1);
        if other != bytes {
            let mut d = plain(name, hex(bytes), hex(other));
            d.component = name.split_once('/').map(|x| x.1.to_owned());
            return Some(d);
        }
    }
    let extra = r.blocks().find(|b| !l.blocks().any(|x| x.0 == b.0))?;
    Some(plain(extra.0, "nothing".to_owned(), hex(extra.1)))
}

/// A world, its schedule, and what feeds it before a frame.
pub type Side<'a> = (&'a mut World, &'a mut Schedule, &'a mut dyn FnMut(&mut World, u64));

/// Runs both sides for up to `frames` frames and reports where they part: by hash of frames first, then, from images of both sides
/// before that frame, by hash of waves, then by value.
///
/// # Errors
/// When a frame fails or something has no encoding; the text says what.
pub fn find_divergence(
    frames: u64,
    left: Side<'_>,
    right: Side<'_>,
) -> Result<Option<Divergence>, String> {
    let (lw, ls, lf) = left;
    let (rw, rs, rf) = right;
    let (mut li, mut ri) = (super::Image::new(), super::Image::new());
    for n in 0..frames {
        li.capture(lw).map_err(|e| e.to_string())?;
        ri.capture(rw).map_err(|e| e.to_string())?;
        lf(lw, n);
        rf(rw, n);
        if lw.state_hash() != rw.state_hash() {
            let difference = first_difference(lw, rw).ok_or("hashes differ, values do not")?;
            let systems = Vec::new();
            return Ok(Some(Divergence { frame: n, wave: None, systems, difference }));
        }
        ls.run(lw).map_err(|e| e.to_string())?;
        rs.run(rw).map_err(|e| e.to_string())?;
        if lw.hash() == rw.hash() {
            continue;
        }
        // The frame is known: again, wave by wave.
        li.restore(lw);
        ri.restore(rw);
        lf(lw, n);
        rf(rw, n);
        let mut left_waves = Vec::new();
        ls.run_watched(lw, |_, w| left_waves.push(w.state_hash())).map_err(|e| e.to_string())?;
        let mut wave = None;
        let mut right_waves = Vec::new();
        rs.run_watched(rw, |_, w| right_waves.push(w.state_hash())).map_err(|e| e.to_string())?;
        for (k, (a, b)) in left_waves.iter().zip(&right_waves).enumerate() {
            if a != b {
                wave = Some(k as u32);
                break;
            }
        }
        // And once more, to stop both right after that wave.
        li.restore(lw);
        ri.restore(rw);
        lf(lw, n);
        rf(rw, n);
        let at = wave.unwrap_or(0);
        let stop = |schedule: &mut Schedule, world: &mut World| {
            let mut kept = None;
            let done = schedule.run_watched(world, |k, w| {
                if k == at {
                    kept = w.snapshot().ok();
                }
            });
            if let (Ok(_), Some(kept)) = (done, kept) {
                // It restores into the world it came from.
                let _ = world.restore(&kept);
            }
        };
        stop(ls, lw);
        stop(rs, rw);
        let difference = first_difference(lw, rw).ok_or("hashes differ, values do not")?;
        let systems = ls.writers(at, difference.component.as_deref(), lw);
        return Ok(Some(Divergence { frame: n, wave, systems, difference }));
    }
    Ok(None)
}
