//! Where modules come from. This crate reads no files; the caller implements `ModuleSource`.

/// The text of a module.
#[derive(Clone, Debug)]
pub struct ModuleText {
    /// The name shown to people: a path, or `<built-in Name>`.
    pub path: String,
    /// The text.
    pub text: String,
}

/// Finds modules by name.
pub trait ModuleSource {
    /// The text of module `name`; `Ok(None)` when there is no such module, `Err` with the reason
    /// when there is one that cannot be read (not UTF-8, a directory, too large).
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String>;
}
