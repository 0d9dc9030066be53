//! A plan for people: data, text, DOT and SVG.
//!
//! Invariant: the output depends on the plan alone.

use super::Schedule;
use std::fmt::Write;

/// One system of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemNote {
    /// Its number, in order of registration.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Runs on the caller.
    pub pinned: bool,
    /// Has the world for itself.
    pub exclusive: bool,
    /// Why it is not in an earlier wave: the system it follows, and the cause.
    pub follows: Option<(String, String)>,
}

/// A plan as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The schedule.
    pub name: String,
    /// Systems by wave. After every wave there is a commit.
    pub waves: Vec<Vec<SystemNote>>,
    /// Conflicting pairs: the first, the second, the cause (omitted above 512 systems).
    pub conflicts: Vec<(String, String, String)>,
    /// Conflicting pairs that registration order decided.
    pub ambiguities: Vec<(String, String, String)>,
    /// Constraints that gave way to stronger ones.
    pub dropped: Vec<String>,
    /// Constraints that hold: earlier, later, cause.
    pub edges: Vec<(String, String, String)>,
}

impl Schedule {
    /// The plan of the last build.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let name = |i: u32| self.entries[i as usize].name.clone();
        let cause = |c| self.conflict_names.get(&c).cloned().unwrap_or_default();
        let note = |&i: &u32| SystemNote {
            index: i,
            name: name(i),
            pinned: self.accesses[i as usize].main_thread,
            exclusive: self.accesses[i as usize].exclusive,
            follows: self.plan.holds[i as usize].as_ref().map(|(j, c)| (name(*j), c.clone())),
        };
        let many = self.entries.len() > 512;
        Explanation {
            name: self.name.clone(),
            waves: self.plan.waves.iter().map(|w| w.iter().map(note).collect()).collect(),
            conflicts: self
                .conflicts()
                .into_iter()
                .map(|(a, b, c)| (name(a), name(b), cause(c)))
                .collect(),
            ambiguities: if many { Vec::new() } else { self.ambiguities() }
                .into_iter()
                .map(|a| (name(a.first), name(a.second), cause(a.conflict)))
                .collect(),
            dropped: self.plan.dropped.iter().map(|e| e.cause.clone()).collect(),
            edges: self
                .plan
                .edges
                .iter()
                .map(|e| (name(e.from), name(e.to), e.cause.clone()))
                .collect(),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Explanation {
    /// The plan as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = format!("schedule {}\n", self.name);
        for (w, wave) in self.waves.iter().enumerate() {
            let _ = writeln!(out, "wave {w}");
            for s in wave {
                let mark = match (s.exclusive, s.pinned) {
                    (true, _) => " [exclusive]",
                    (false, true) => " [main thread]",
                    (false, false) => "",
                };
                let _ = write!(out, "  {}{mark}", s.name);
                if let Some((other, cause)) = &s.follows {
                    let _ = write!(out, "  (after {other}: {cause})");
                }
                out.push('\n');
            }
            out.push_str("  -- commit\n");
        }
        if !self.ambiguities.is_empty() {
            out.push_str("decided by registration order\n");
            for (a, b, c) in &self.ambiguities {
                let _ = writeln!(out, "  {a} before {b}: {c}");
            }
        }
        if !self.dropped.is_empty() {
            out.push_str("given way to stronger constraints\n");
            for d in &self.dropped {
                let _ = writeln!(out, "  {d}");
            }
        }
        out
    }

    /// The plan as a graph in the DOT language.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph schedule {\n  rankdir=LR;\n  node [shape=box];\n");
        for (w, wave) in self.waves.iter().enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{w} {{\n    label=\"wave {w}\";");
            for s in wave {
                let style = if s.exclusive || s.pinned { ", style=bold" } else { "" };
                let _ = writeln!(out, "    s{} [label={:?}{style}];", s.index, s.name);
            }
            out.push_str("  }\n");
        }
        for wave in &self.waves {
            for s in wave {
                if let Some((other, cause)) = &s.follows
                    && let Some(from) = self.waves.iter().flatten().find(|x| &x.name == other)
                {
                    let _ = writeln!(out, "  s{} -> s{} [label={cause:?}];", from.index, s.index);
                }
            }
        }
        out.push_str("}\n");
        out
    }

    /// The plan as a picture.
    #[must_use]
    pub fn to_svg(&self) -> String {
        const W: usize = 220;
        const H: usize = 28;
        let rows = self.waves.iter().map(Vec::len).max().unwrap_or(0);
        let (width, height) = (self.waves.len() * (W + 20) + 20, rows * (H + 10) + 60);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        );
        for (w, wave) in self.waves.iter().enumerate() {
            let x = 20 + w * (W + 20);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"20\" font-weight=\"bold\">wave {w}</text>");
            for (k, s) in wave.iter().enumerate() {
                let y = 32 + k * (H + 10);
                let fill = match (s.exclusive, s.pinned) {
                    (true, _) => "#f4cccc",
                    (false, true) => "#fff2cc",
                    (false, false) => "#dae8fc",
                };
                let title = s
                    .follows
                    .as_ref()
                    .map(|(o, c)| format!("<title>after {}: {}</title>", escape(o), escape(c)))
                    .unwrap_or_default();
                let _ = writeln!(
                    out,
                    "<g>{title}<rect x=\"{x}\" y=\"{y}\" width=\"{W}\" height=\"{H}\" rx=\"4\" fill=\"{fill}\" stroke=\"#555\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
                    x + 8,
                    y + 18,
                    escape(&s.name)
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }
}
