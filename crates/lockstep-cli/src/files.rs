//! Where texts come from: the specification's folder, `--path`, `TLA_PATH`, the built-in modules.
//!
//! A file that is not there is different from one that cannot be used (a directory, too large, not
//! UTF-8): the first is looked for elsewhere, the second is an error with its reason.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lockstep_semantic::{ModuleSource, ModuleText};

/// The largest source text. A specification of this size is a mistake (a log, a data file), and
/// saying so beats parsing it for minutes.
pub(crate) const MAX_SOURCE_BYTES: u64 = 32 << 20;

/// Why a file cannot be used.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// There is none.
    Missing,
    /// There is one, but it `is a directory`, `cannot be read: …`.
    Bad(String),
}

impl Unreadable {
    /// A sentence about the file.
    pub(crate) fn about(&self, path: &Path) -> String {
        match self {
            Unreadable::Missing => format!("{} does not exist", path.display()),
            Unreadable::Bad(reason) => format!("{} {reason}", path.display()),
        }
    }

    /// The code of a diagnostic.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Unreadable::Missing => "E0100",
            Unreadable::Bad(_) => "E0101",
        }
    }
}

/// Reads a text.
pub(crate) fn read(path: &Path) -> Result<String, Unreadable> {
    let bad = |reason: String| Unreadable::Bad(reason);
    let metadata = match std::fs::metadata(path) {
        Ok(it) => it,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Unreadable::Missing);
        }
        // `a.tla/b` where `a.tla` is a file.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            return Err(Unreadable::Missing);
        }
        Err(error) => return Err(bad(format!("cannot be read: {error}"))),
    };
    if metadata.is_dir() {
        return Err(bad("is a directory".to_owned()));
    }
    let too_large = |bytes: u64| {
        bad(format!("is too large: {bytes} bytes, at most {MAX_SOURCE_BYTES} can be used"))
    };
    if metadata.len() > MAX_SOURCE_BYTES {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    // A pipe or a device has no length of its own, so the limit holds while reading as well.
    let limited =
        File::open(path).and_then(|it| it.take(MAX_SOURCE_BYTES + 1).read_to_end(&mut bytes));
    if let Err(error) = limited {
        return Err(bad(format!("cannot be read: {error}")));
    }
    if bytes.len() as u64 > MAX_SOURCE_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|it| **it == b'\n').count() + 1;
        bad(format!("is not UTF-8: byte {at}, line {line}"))
    })
}

/// Modules in folders, then the built-in ones.
pub(crate) struct Folders {
    folders: Vec<PathBuf>,
}

impl Folders {
    /// The folder of `spec`, then `paths`, then the variable `TLA_PATH`.
    pub(crate) fn new(spec: &Path, paths: &[PathBuf]) -> Self {
        let mut folders = vec![folder_of(spec)];
        folders.extend(paths.iter().cloned());
        if let Some(variable) = std::env::var_os("TLA_PATH") {
            folders
                .extend(std::env::split_paths(&variable).filter(|it| !it.as_os_str().is_empty()));
        }
        Self { folders }
    }
}

/// The folder of a file, as a path that can be joined and shown.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    file.parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

impl ModuleSource for Folders {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        for folder in &self.folders {
            let path = folder.join(format!("{name}.tla"));
            match read(&path) {
                Ok(text) => {
                    let path = path.display().to_string();
                    return Ok(Some(ModuleText { path, text }));
                }
                Err(Unreadable::Missing) => {}
                Err(error) => return Err(error.about(&path)),
            }
        }
        Ok(lockstep_eval::stdlib::module_source(name)
            .map(|text| ModuleText { path: format!("<built-in {name}>"), text: text.to_owned() }))
    }
}

/// Writes a whole file or none: to a name beside it first, then renamed. What is no file (a device, a pipe) is written to
/// as it is, and never replaced.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let shown = path.display();
    if std::fs::metadata(path).is_ok_and(|it| !it.is_file()) {
        return std::fs::write(path, text)
            .map_err(|error| format!("{shown} cannot be written: {error}"));
    }
    // A link stays a link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = std::fs::write(&partial, text).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        format!("{shown} cannot be written: {error}")
    })
}

/// `DieHard` is `DieHard.tla`.
pub(crate) fn with_extension(spec: &Path) -> PathBuf {
    if spec.extension().is_some_and(|it| it == "tla") || spec.is_file() {
        return spec.to_path_buf();
    }
    let mut name = spec.as_os_str().to_owned();
    name.push(".tla");
    let longer = PathBuf::from(name);
    // A name that exists only with the extension means that file; else it is reported as typed.
    if longer.is_file() { longer } else { spec.to_path_buf() }
}
