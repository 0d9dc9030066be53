//! `test_data/ok`: accepted modules with their trees. `test_data/err`: rejected ones with what is
//! said about them. `UPDATE_EXPECT=1` writes the expectations anew.

use std::path::{Path, PathBuf};

use expect_test::expect_file;
use lockstep_syntax::render::render;

use super::{check_round_trip, parse_text, parse_valid};

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(kind);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the fixtures are part of the crate")
        .map(|entry| entry.expect("the fixtures are readable").path())
        .filter(|path| path.extension().is_some_and(|it| it == "tla"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn read(path: &Path) -> (String, String) {
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    (name, std::fs::read_to_string(path).expect("fixtures are UTF-8"))
}

#[test]
fn accepted_modules() {
    for path in fixtures("ok") {
        let (name, text) = read(&path);
        let parsed = parse_valid(&name, &text);
        expect_file![path.with_extension("tree")].assert_eq(&parsed.ast.debug_tree());
        check_round_trip(&name, &parsed);
    }
}

#[test]
fn rejected_modules() {
    for path in fixtures("err") {
        let (name, text) = read(&path);
        let (sources, parsed) = parse_text(&name, &text);
        assert!(!parsed.diagnostics.is_empty(), "{name} must be rejected");
        let shown = render(&sources, &parsed.diagnostics, false);
        expect_file![path.with_extension("txt")].assert_eq(&shown);
    }
}
