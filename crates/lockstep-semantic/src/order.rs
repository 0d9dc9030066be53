//! The last touches to a resolved specification: modules in order of dependence, symbols in order
//! of occurrence.

use lockstep_syntax::ast::Name;
use rustc_hash::FxHashSet;

use crate::hir::{Meaning, ModuleId, Spec};

/// Renumbers the modules so that each comes after those it extends or instantiates, and collects
/// the symbols.
pub(crate) fn finish(spec: &mut Spec, completed: &[ModuleId]) {
    renumber(spec, completed);
    spec.symbols = symbols(spec);
}

fn renumber(spec: &mut Spec, completed: &[ModuleId]) {
    let mut order: Vec<ModuleId> = completed.to_vec();
    for idx in 0..spec.modules.len() {
        let id = ModuleId(idx as u32);
        if !order.contains(&id) {
            order.push(id);
        }
    }
    let mut new_id = vec![ModuleId(0); spec.modules.len()];
    for (new, old) in order.iter().enumerate() {
        new_id[old.index()] = ModuleId(new as u32);
    }
    let mut old_modules: Vec<Option<_>> =
        std::mem::take(&mut spec.modules).into_iter().map(Some).collect();
    spec.modules = order.iter().filter_map(|old| old_modules[old.index()].take()).collect();
    let map = |id: &mut ModuleId| *id = new_id[id.index()];
    for module in &mut spec.modules {
        module.extends.iter_mut().for_each(map);
        module.parent.iter_mut().for_each(map);
        for (_, meaning) in &mut module.scope {
            if let Meaning::Module(id) = meaning {
                map(id);
            }
        }
    }
    spec.decls.iter_mut().for_each(|it| map(&mut it.module));
    spec.definitions.iter_mut().for_each(|it| map(&mut it.module));
    for instance in &mut spec.instances {
        map(&mut instance.module);
        map(&mut instance.target);
    }
    spec.assumptions.iter_mut().for_each(|it| map(&mut it.module));
    spec.root.iter_mut().for_each(map);
}

/// Identifiers and strings in the order in which TLC meets them.
fn symbols(spec: &Spec) -> Vec<Name> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut result = Vec::new();
    for (_, file) in spec.sources.files() {
        for word in words(&file.text) {
            if seen.insert(word) {
                result.push(Name::new(word));
            }
        }
    }
    result
}

/// The identifiers and strings of a text, comments left out.
fn words(text: &str) -> impl Iterator<Item = &str> {
    Words { text, at: 0 }
}

struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            let rest = &bytes[self.at..];
            if rest.starts_with(b"\\*") {
                while bytes.get(self.at).is_some_and(|it| *it != b'\n') {
                    self.at += 1;
                }
            } else if rest.starts_with(b"(*") {
                self.skip_comment();
            } else if byte == b'"' {
                let start = self.at + 1;
                let mut end = start;
                while bytes.get(end).is_some_and(|it| *it != b'"' && *it != b'\n') {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                let end = end.min(bytes.len());
                self.at = end + 1;
                if let Some(word) = self.text.get(start..end) {
                    return Some(word);
                }
            } else if byte.is_ascii_alphanumeric() || byte == b'_' {
                let start = self.at;
                while bytes.get(self.at).is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_')
                {
                    self.at += 1;
                }
                let word = &self.text[start..self.at];
                if word.bytes().any(|it| it.is_ascii_alphabetic()) {
                    return Some(word);
                }
            } else {
                self.at += 1;
            }
        }
    }
}

impl Words<'_> {
    fn skip_comment(&mut self) {
        let bytes = self.text.as_bytes();
        let mut depth = 0;
        while self.at < bytes.len() {
            let rest = &bytes[self.at..];
            if rest.starts_with(b"(*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with(b"*)") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
    }
}
