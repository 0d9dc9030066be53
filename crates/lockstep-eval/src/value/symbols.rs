//! Names as numbers: strings and model values.
//!
//! The front end interns every string, field name and identifier of the specification in the
//! order of first occurrence; that order *is* the order of strings (as in TLC). The table is then
//! frozen and shared by all workers. Strings made at run time that are not in it are local to a
//! worker: they come after all static ones and are ordered alphabetically among each other, and
//! they hash by content, so no result depends on which worker made them first.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::hash::{hash_bytes, mix};

const LOCAL: u32 = 1 << 31;

/// A string value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sym(pub u32);

impl Sym {
    /// Whether the string was made at run time and is known to one worker only.
    #[inline]
    pub fn is_local(self) -> bool {
        self.0 & LOCAL != 0
    }
}

/// A model value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ModelId(pub u32);

impl ModelId {
    /// Whether the model value was made at run time (`TLCModelValue`).
    #[inline]
    pub fn is_local(self) -> bool {
        self.0 & LOCAL != 0
    }
}

/// What is known of a model value.
#[derive(Clone, Debug)]
struct Model {
    name: SmolStr,
    hash: u64,
    /// The letter before `_` of a typed model value, 0 of an untyped one.
    kind: u8,
}

/// The letter that types a model value called `name`, 0 for none.
fn model_kind(name: &str) -> u8 {
    let bytes = name.as_bytes();
    if bytes.len() > 2 && bytes[1] == b'_' { bytes[0] } else { 0 }
}

/// Strings with their hashes, in order of interning.
#[derive(Default, Clone, Debug)]
struct Table {
    texts: Vec<SmolStr>,
    hashes: Vec<u64>,
    index: FxHashMap<SmolStr, u32>,
}

impl Table {
    fn find(&self, text: &str) -> Option<u32> {
        self.index.get(text).copied()
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(id) = self.find(text) {
            return id;
        }
        let id = self.texts.len() as u32;
        let text = SmolStr::new(text);
        self.hashes.push(mix(hash_bytes(text.as_bytes()) ^ 0x5354_5249_4e47));
        self.index.insert(text.clone(), id);
        self.texts.push(text);
        id
    }
}

/// The model values known so far.
#[derive(Default, Clone, Debug)]
struct Models {
    list: Vec<Model>,
    index: FxHashMap<SmolStr, u32>,
}

impl Models {
    fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.index.get(name) {
            return *id;
        }
        let id = self.list.len() as u32;
        let text = SmolStr::new(name);
        self.list.push(Model {
            hash: mix(hash_bytes(text.as_bytes()) ^ 0x004d_4f44_454c),
            kind: model_kind(name),
            name: text.clone(),
        });
        self.index.insert(text, id);
        id
    }
}

/// The names of a specification, fixed before evaluation starts.
#[derive(Default, Clone, Debug)]
pub struct Symbols {
    strings: Table,
    models: Models,
    shapes: Vec<Box<[Sym]>>,
    shape_index: FxHashMap<Box<[Sym]>, u32>,
}

impl Symbols {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a string, new ones last.
    pub fn intern(&mut self, text: &str) -> Sym {
        Sym(self.strings.intern(text))
    }

    /// The number of a string that is known.
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.strings.find(text).map(Sym)
    }

    /// Adds a model value; a name known already gives the same one.
    pub fn intern_model(&mut self, name: &str) -> ModelId {
        ModelId(self.models.intern(name))
    }

    /// The model value of a name that is known.
    pub fn find_model(&self, name: &str) -> Option<ModelId> {
        self.models.index.get(name).copied().map(ModelId)
    }

    /// How many static model values there are.
    pub fn n_models(&self) -> usize {
        self.models.list.len()
    }

    /// How many static strings there are.
    pub fn n_strings(&self) -> usize {
        self.strings.texts.len()
    }

    /// Makes records with these fields cheap to encode. The order of `names` does not matter.
    pub fn add_shape(&mut self, names: &[Sym]) {
        let mut names: Box<[Sym]> = names.into();
        names.sort_unstable_by_key(|name| name.0);
        if !self.shape_index.contains_key(&names) {
            self.shape_index.insert(names.clone(), self.shapes.len() as u32);
            self.shapes.push(names);
        }
    }

    pub(crate) fn find_shape(&self, names: &[Sym]) -> Option<u32> {
        self.shape_index.get(names).copied()
    }

    pub(crate) fn shape(&self, id: u32) -> Option<&[Sym]> {
        self.shapes.get(id as usize).map(|names| &**names)
    }
}

/// The names one worker can see: the shared ones and those it made itself.
#[derive(Debug)]
pub struct Names {
    shared: Arc<Symbols>,
    local: Table,
    local_models: Models,
}

impl Names {
    /// Starts with the shared names only.
    pub fn new(shared: Arc<Symbols>) -> Self {
        Self { shared, local: Table::default(), local_models: Models::default() }
    }

    /// The shared table.
    pub fn shared(&self) -> &Arc<Symbols> {
        &self.shared
    }

    /// The number of a string, made local if it is new.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.shared.find(text) {
            return sym;
        }
        Sym(self.local.intern(text) | LOCAL)
    }

    /// The text of a string.
    #[inline]
    pub fn text(&self, sym: Sym) -> &SmolStr {
        if sym.is_local() {
            &self.local.texts[(sym.0 & !LOCAL) as usize]
        } else {
            &self.shared.strings.texts[sym.0 as usize]
        }
    }

    /// The hash of a string's content.
    #[inline]
    pub fn hash(&self, sym: Sym) -> u64 {
        if sym.is_local() {
            self.local.hashes[(sym.0 & !LOCAL) as usize]
        } else {
            self.shared.strings.hashes[sym.0 as usize]
        }
    }

    /// The order of strings.
    #[inline]
    pub fn compare(&self, a: Sym, b: Sym) -> Ordering {
        if a.is_local() && b.is_local() {
            self.text(a).cmp(self.text(b))
        } else {
            // The flag bit puts local ones last.
            a.0.cmp(&b.0)
        }
    }

    /// The model value called `name`, made local if it is new.
    pub fn intern_model(&mut self, name: &str) -> ModelId {
        if let Some(id) = self.shared.find_model(name) {
            return id;
        }
        ModelId(self.local_models.intern(name) | LOCAL)
    }

    #[inline]
    fn model(&self, id: ModelId) -> &Model {
        if id.is_local() {
            &self.local_models.list[(id.0 & !LOCAL) as usize]
        } else {
            &self.shared.models.list[id.0 as usize]
        }
    }

    /// The name of a model value.
    pub fn model_name(&self, id: ModelId) -> &SmolStr {
        &self.model(id).name
    }

    /// The type letter of a model value, 0 when it has none.
    #[inline]
    pub fn model_kind(&self, id: ModelId) -> u8 {
        self.model(id).kind
    }

    /// The hash of a model value.
    #[inline]
    pub fn model_hash(&self, id: ModelId) -> u64 {
        self.model(id).hash
    }

    /// The order of model values.
    pub fn compare_models(&self, a: ModelId, b: ModelId) -> Ordering {
        if a.is_local() && b.is_local() {
            self.model_name(a).cmp(self.model_name(b))
        } else {
            a.0.cmp(&b.0)
        }
    }
}
