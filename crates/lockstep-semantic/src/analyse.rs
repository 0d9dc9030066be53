//! The entry to the analysis: from the text of a root module to a resolved specification.
//!
//! Not a reader of files: every other module comes from the caller's [`ModuleSource`]. Analysis
//! never fails; what is wrong is a diagnostic, and the specification may be used only when none of
//! them is an error.

use lockstep_syntax::ast::Name;
use lockstep_syntax::{Diagnostic, FileId};

use crate::hir::Spec;
use crate::resolve::Resolver;
use crate::source::ModuleSource;

/// The file that the user named.
#[derive(Clone, Debug)]
pub struct RootText {
    /// The name of the module it must hold: the file's name without `.tla`.
    pub name: String,
    /// The name shown to people.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A file that the specification reaches.
#[derive(Clone, Debug)]
pub struct LoadedFile {
    /// The module looked for.
    pub name: Name,
    /// The file.
    pub file: FileId,
    /// The top-level modules that its modules extend or instantiate, in order of first mention.
    pub imports: Vec<Name>,
}

/// What the analysis found.
#[derive(Debug)]
pub struct Analysis {
    /// The resolved specification.
    pub spec: Spec,
    /// Errors and warnings, in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// The module graph: the files in the order they were read, the root first.
    pub files: Vec<LoadedFile>,
}

impl Analysis {
    /// Whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Resolves and level-checks the specification whose root module is in `root`.
pub fn analyse(source: &dyn ModuleSource, root: RootText) -> Analysis {
    let mut resolver = Resolver::new(source);
    resolver.root(root);
    resolver.finish()
}
