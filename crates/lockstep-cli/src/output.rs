//! Standard output and standard error, written without panicking.
//!
//! A reader may go away (`lockstep check … | head`) and a disk may be full. The first failure is
//! remembered, later writes are dropped, and [`Output::finish`] says whether all arrived.

use std::io::{self, IsTerminal, Write};

/// A buffered standard output that remembers its first failure.
pub(crate) struct Output {
    buffer: Vec<u8>,
    failure: Option<io::Error>,
}

/// Enough to make few system calls, little enough to show Print at once after a flush.
const BUFFER: usize = 1 << 16;

impl Output {
    /// Standard output.
    pub(crate) fn new() -> Self {
        Self { buffer: Vec::with_capacity(BUFFER), failure: None }
    }

    /// Writes a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
        if self.buffer.len() >= BUFFER {
            self.flush();
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: &str) {
        self.text(text);
        self.text("\n");
    }

    /// Hands over what is buffered.
    pub(crate) fn flush(&mut self) {
        if self.failure.is_none() {
            let mut stdout = io::stdout().lock();
            if let Err(error) = stdout.write_all(&self.buffer).and_then(|()| stdout.flush()) {
                self.failure = Some(error);
            }
        }
        self.buffer.clear();
    }

    /// Flushes; `Err` when something could not be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }
}

/// A line on standard error. That nobody reads it is no reason to stop.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether standard output is read by a person.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}
