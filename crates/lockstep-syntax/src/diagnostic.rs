//! Diagnostics: what went wrong, where, and what to do about it, as data.
//!
//! Every mistake of a user becomes a `Diagnostic`; nothing here prints. The renderer is in
//! `render`.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The specification can still be used.
    Warning,
    /// The specification cannot be used.
    Error,
}

/// A span with what that text is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The text meant.
    pub span: Span,
    /// What it is; may be empty.
    pub text: String,
}

/// One problem of a user's input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// A stable code: `E4200` and `W4802` are SANY's numbers, `E1xxx` lexical and syntactic ones.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// One phrase, no full stop.
    pub headline: String,
    /// The place; `None` only where there is no text (a missing file).
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Facts that help to understand.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, span: Span, headline: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Some(span), headline)
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, span: Span, headline: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, Some(span), headline)
    }

    /// A diagnostic with or without a place.
    pub fn new(
        code: &'static str,
        severity: Severity,
        span: Option<Span>,
        headline: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity,
            headline: headline.into(),
            primary: span.map(|span| Label { span, text: String::new() }),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Says what the primary text is.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
