//! `test_data/err`: modules that are rejected, or warned of, with what is said about them. The
//! first word of a file's name is a code that must be among those reported. `UPDATE_EXPECT=1`
//! writes the expectations anew.

use std::path::{Path, PathBuf};

use expect_test::expect_file;

use super::{analyse_text, shown};

/// The paths of the modules, in order.
pub(super) fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/err");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures are part of the crate")
        .map(|entry| entry.expect("the fixtures are readable").path())
        .filter(|path| path.extension().is_some_and(|it| it == "tla"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn rejected_modules() {
    let paths = fixtures();
    assert!(paths.len() >= 60, "only {} fixtures", paths.len());
    for path in paths {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("fixtures are UTF-8");
        let analysis = analyse_text(&text);
        let code = name.split('_').next().unwrap_or("").to_uppercase();
        if code.len() == 5 {
            let found = analysis.diagnostics.iter().any(|it| it.code == code);
            assert!(found, "{name} must report {code}:\n{}", shown(&analysis));
        }
        assert_eq!(analysis.has_errors(), !name.starts_with('w'), "{name}");
        expect_file![path.with_extension("txt")].assert_eq(&shown(&analysis));
    }
}
