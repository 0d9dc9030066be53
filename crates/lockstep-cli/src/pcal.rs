//! `lockstep pcal`: PlusCal to TLA+, in place, as the translator of the TLA+ tools does it.
//!
//! The old module is kept as `.old` and the configuration gets what the translation needs, unless
//! told otherwise. Nothing is written when the algorithm has errors. Exit status 0, 150 when the
//! algorithm is wrong, 1 for a wrong command line.

use std::path::{Path, PathBuf};

use lockstep_syntax::pluscal::{Options, merge_cfg, translate};
use lockstep_syntax::{FileId, SourceFile, SourceMap};

use crate::diagnostics::convert;
use crate::files::{Unreadable, read, write};
use crate::output::{Output, is_terminal, note};

const HELP: &str = "\
Translate the PlusCal algorithm of a module

Usage: lockstep pcal [options] FILE

Options:
  -wf, -sf, -wfNext, -nof   fairness: weak or strong for each process, weak of Next, none
  -termination              the configuration checks Termination
  -nocfg                    do not write the configuration
  -noold                    do not keep the old module as FILE.old
  -noDoneDisjunct           a finished algorithm deadlocks
  -label, -reportLabels     add missing labels; say which
  -labelRoot NAME           how added labels begin [default: Lbl_]
  -lineWidth N              columns of a line [default: 78]
  -unixEOL                  end lines with a line feed alone
  -version V                the version of PlusCal the algorithm is written for
  --stdout                  print the module, write no file
";

pub(crate) fn run(words: &[String], out: &mut Output) -> u8 {
    if words.iter().any(|it| matches!(it.as_str(), "-h" | "-help" | "--help")) {
        out.text(HELP);
        return 0;
    }
    let to_stdout = words.iter().any(|it| it == "--stdout");
    let words = words.iter().map(String::as_str).filter(|it| *it != "--stdout");
    let (options, files) = match Options::from_args(words) {
        Ok(it) => it,
        Err(error) => return usage(&error),
    };
    let file = match files.as_slice() {
        [file] => crate::files::with_extension(Path::new(file)),
        [] => return usage("a file is missing"),
        [_, second, ..] => return usage(&format!("one file at a time, and {second} is one more")),
    };
    let text = match read(&file) {
        Ok(it) => it,
        Err(error) => {
            note(&format!("error: {}", error.about(&file)));
            return crate::parse::PARSE_ERROR;
        }
    };
    let mut sources = SourceMap::default();
    let id: FileId = sources.add(SourceFile::new(file.display().to_string(), text));
    let old = &sources.file(id).text;
    let translation = translate(old, id, &options);
    let color = is_terminal();
    for it in &translation.diagnostics {
        crate::parse::print(&convert(&sources, it, color));
    }
    let Some(new) = &translation.text else { return crate::parse::PARSE_ERROR };
    if translation.options.report_labels {
        for label in translation.labels.iter().filter(|it| it.added) {
            let line = sources.location(label.span).line;
            out.line(&format!("label {} added at line {line}", label.name));
        }
    }
    if to_stdout {
        out.text(new);
        return 0;
    }
    match store(&file, old, new, &translation) {
        Ok(written) => {
            out.line("Translation completed.");
            for it in written {
                out.line(&format!("New file {} written.", it.display()));
            }
            0
        }
        Err(error) => {
            note(&format!("lockstep: {error}"));
            crate::SYSTEM_ERROR
        }
    }
}

fn store(
    file: &Path,
    old: &str,
    new: &str,
    translation: &lockstep_syntax::pluscal::Translation,
) -> Result<Vec<PathBuf>, String> {
    let mut written = Vec::new();
    if !translation.options.no_old {
        write(&file.with_extension("old"), old)?;
    }
    write(file, new)?;
    written.push(file.to_path_buf());
    if let Some(cfg) = &translation.cfg {
        let path = file.with_extension("cfg");
        let before = match read(&path) {
            Ok(it) => Some(it),
            Err(Unreadable::Missing) => None,
            Err(error) => return Err(error.about(&path)),
        };
        let merged = merge_cfg(cfg, before.as_deref());
        if before.as_deref() != Some(merged.as_str()) {
            write(&path, &merged)?;
            written.push(path);
        }
    }
    Ok(written)
}

fn usage(text: &str) -> u8 {
    note(&format!("error: {text}\n\n{HELP}"));
    crate::USAGE
}
