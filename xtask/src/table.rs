//! Tab-separated tables with a line of names on top: expectations of the suite and of a corpus.

use std::collections::BTreeMap;
use std::path::Path;

/// One line; cells that are missing are empty.
pub(crate) struct Row(BTreeMap<String, String>);

impl Row {
    /// A cell, trimmed.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |it| it.trim())
    }

    /// A cell that holds a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name).parse().ok()
    }
}

/// The lines of a table.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or("").split('\t').map(str::trim).collect();
    let rows = lines.filter(|it| !it.trim().is_empty()).map(|line| {
        let cells = line.split('\t').map(str::to_owned);
        Row(names.iter().map(|it| (*it).to_owned()).zip(cells).collect())
    });
    Ok(rows.collect())
}
