//! How fast text becomes a tree, in bytes a second: the crate's fixtures, and the corpus where it
//! is present, each as one large text.

use std::path::{Path, PathBuf};

use divan::counter::BytesCount;
use lockstep_syntax::{FileId, SourceFile, parse};

fn main() {
    divan::main();
}

fn specifications(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            specifications(&path, found);
        } else if path.extension().is_some_and(|it| it == "tla") {
            found.push(path);
        }
    }
}

/// All accepted specifications of a folder, repeated up to `len` bytes.
fn text_of(folder: &Path, len: usize) -> String {
    let mut paths = Vec::new();
    specifications(folder, &mut paths);
    let files: Vec<_> = paths
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .filter(|text| {
            let parsed = parse(FileId(0), &SourceFile::new("", text.as_str()));
            parsed.diagnostics.is_empty() && !parsed.ast.modules.is_empty()
        })
        .collect();
    if files.is_empty() {
        return String::new();
    }
    let mut text = String::with_capacity(len);
    for file in files.iter().cycle() {
        if text.len() >= len {
            break;
        }
        text.push_str(file);
        text.push('\n');
    }
    text
}

fn run(bencher: divan::Bencher<'_, '_>, folder: &Path) {
    let source = SourceFile::new("bench.tla", text_of(folder, 8_000_000));
    bencher
        .counter(BytesCount::new(source.text.len()))
        .bench_local(|| divan::black_box(parse(FileId(0), &source)));
}

#[divan::bench(sample_count = 10)]
fn fixtures(bencher: divan::Bencher<'_, '_>) {
    run(bencher, &Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/ok"));
}

#[divan::bench(sample_count = 10)]
fn corpus(bencher: divan::Bencher<'_, '_>) {
    if let Some(corpus) = std::env::var_os("LOCKSTEP_CORPUS") {
        run(bencher, Path::new(&corpus));
    }
}
