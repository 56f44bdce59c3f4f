//! One text that was given for a key: in the file, by a flag, or by the environment.

use super::Given;
use super::problem::Problem;
use std::ops::Range;
use toml::Spanned;

/// A text that was given for a key, by whomever.
pub(super) struct Setting<'a> {
    /// Who gave it: the key, the flag or the variable.
    pub(super) source: &'a str,
    pub(super) text: &'a str,
    /// Where in the file, if there.
    pub(super) span: Option<Range<usize>>,
}

impl<'a> Setting<'a> {
    pub(super) fn choose(
        key: &'a str,
        given: &'a Option<Given>,
        written: &'a Option<Spanned<String>>,
    ) -> Option<Self> {
        let from_file = written.as_ref().map(|written| Self {
            source: key,
            text: written.get_ref(),
            span: Some(written.span()),
        });
        let given = given.as_ref().map(|given| Self { source: given.source, text: &given.text, span: None });
        given.or(from_file)
    }

    pub(super) fn problem(&self, what: &str, remedy: impl Into<String>) -> Problem {
        Problem { span: self.span.clone(), ..Problem::outside(format!("`{}` {what}", self.source), remedy) }
    }

    /// The problem of a text that is none of the names it could be.
    pub(super) fn none_of(&self, names: &[&str]) -> Problem {
        let message = format!("`{}` cannot be `{}`", self.source, self.text);
        Problem::choice(self.span.clone(), message, self.text, names.iter().copied())
    }
}
