//! One text that was given for a key: in the file, by a flag, or by the environment.

use super::Given;
use super::problem::Problem;
use super::tree::{Reader, Table};
use std::ops::Range;

/// A text that was given for a key, by whomever.
pub(super) struct Setting {
    /// Who gave it: the key, the flag or the variable.
    source: &'static str,
    pub(super) text: String,
    /// Where in the file, if there.
    span: Option<Range<usize>>,
}

impl<'t> Reader<'t> {
    /// What was given for a key, or else is written.
    pub(super) fn setting(
        &mut self,
        table: &Table<'t>,
        key: &'static str,
        given: Option<&Given>,
    ) -> Option<Setting> {
        let written = self.string(table, key);
        if let Some(Given { text, source }) = given {
            return Some(Setting { source, text: text.clone(), span: None });
        }
        let (span, text) = written.map(|written| (written.span(), written.into_inner()))?;
        Some(Setting { source: key, text, span: Some(span) })
    }
}

impl Setting {
    pub(super) fn problem(&self, what: &str, remedy: impl Into<String>) -> Problem {
        Problem { span: self.span.clone(), ..Problem::outside(format!("`{}` {what}", self.source), remedy) }
    }

    /// The problem of a text that is none of the names it could be.
    pub(super) fn none_of(&self, names: &[&str]) -> Problem {
        let message = format!("`{}` cannot be `{}`", self.source, self.text);
        Problem::choice(self.span.clone(), message, &self.text, names.iter().copied())
    }
}
