//! Source files and positions.
//!
//! A `Span` is a range of bytes in one file of a `SourceMap`. It is `Copy` and survives into
//! run-time errors. Lines and columns are counted only when a diagnostic is shown: lines from 1,
//! columns from 1 in code points, as SANY counts them.

use std::fmt;
use std::sync::Arc;

/// Identifies one file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A range of bytes in one source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `start..end` in `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest span that covers both; `other` must be in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// Where a span lies, for people: line and column from 1, the end inclusive as TLC prints it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// First line.
    pub line: u32,
    /// First column.
    pub col: u32,
    /// Line of the last character.
    pub end_line: u32,
    /// Column of the last character.
    pub end_col: u32,
}

/// The text of one file with its line starts.
#[derive(Debug)]
pub struct SourceFile {
    /// The name shown to people (a path as the user gave it, or `<built-in Name>`).
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Indexes the lines of `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        let bytes = text.as_bytes();
        for (idx, byte) in bytes.iter().enumerate() {
            // A CR that is not followed by LF ends a line as well.
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(idx + 1) != Some(&b'\n')) {
                line_starts.push(idx as u32 + 1);
            }
        }
        Self { name: name.into(), text, line_starts }
    }

    /// Line and column (from 1) of a byte offset. A tab moves to the next multiple of 8, plus 1.
    pub fn line_col(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let mut col = 1;
        for ch in self.text.get(start..end).unwrap_or("").chars() {
            col = if ch == '\t' { (col - 1) / 8 * 8 + 9 } else { col + 1 };
        }
        (line as u32 + 1, col)
    }

    /// Byte offset of the start of a line (from 1), if there is such a line.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.line_starts.get((line as usize).checked_sub(1)?).copied()
    }

    /// Number of lines.
    pub fn n_lines(&self) -> u32 {
        self.line_starts.len() as u32
    }
}

/// All files of one specification.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Arc<SourceFile>>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(Arc::new(file));
        FileId(self.files.len() as u32 - 1)
    }

    /// The file behind an id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files in the order they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(idx, file)| (FileId(idx as u32), &**file))
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span lies.
    pub fn location(&self, span: Span) -> Location {
        let file = self.file(span.file);
        let (line, col) = file.line_col(span.start);
        let last = span.end.max(span.start + 1) - 1;
        let (end_line, end_col) = file.line_col(last);
        Location { line, col, end_line, end_col }
    }
}
