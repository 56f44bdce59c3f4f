//! What is wrong with a configuration: where, what, and how to mend it.
//!
//! A person mends the file once, so every problem is shown in one answer, in the order of the file.

use super::password::without_passwords;
pub(super) use crate::catalog::name::nearest;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str};
use std::fmt;
use std::ops::Range;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where in the text, in bytes; `None` for what does not stand in the file.
    pub span: Option<Range<usize>>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// A word right under the place.
    pub label: Option<String>,
    /// How to mend it.
    pub remedy: String,
    /// Another place that explains this one, with its own label.
    pub related: Option<(Range<usize>, String)>,
}

impl Problem {
    pub(super) fn at(span: Range<usize>, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { span: Some(span), ..Self::outside(message, remedy) }
    }

    /// A problem of something that is not in the file: a flag, a variable, the file itself.
    pub(super) fn outside(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { span: None, message: message.into(), label: None, remedy: remedy.into(), related: None }
    }

    /// A problem that is mended with one of `choices` instead of `given`.
    pub(super) fn choice<'a>(
        span: Option<Range<usize>>,
        message: impl Into<String>,
        given: &str,
        choices: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let choices: Vec<&str> = choices.into_iter().collect();
        let remedy = format!("use {}", enumerate(&choices, "or"));
        Self {
            span,
            label: nearest(given, &choices).map(|near| format!("did you mean `{near}`?")),
            ..Self::outside(message, remedy)
        }
    }
}

/// Names as words: `a`, `b` or `c`.
pub(super) fn enumerate(names: &[&str], joint: &str) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [first @ .., before, last] => {
            let first: String = first.iter().map(|name| format!("{name}, ")).collect();
            format!("{first}{before} {joint} {last}")
        }
        few => few.concat(),
    }
}

/// Everything that is wrong with a configuration.
#[derive(Debug, Clone)]
pub struct ConfigError {
    /// The name of the file, for the reader.
    file: String,
    /// Its text, passwords blotted out.
    text: String,
    problems: Vec<Problem>,
    /// Whether the text could not be understood as TOML, so that its meaning was not looked at.
    is_unreadable: bool,
}

impl ConfigError {
    pub(super) fn new(file: &str, text: &str, mut problems: Vec<Problem>, is_unreadable: bool) -> Self {
        // Messages repeat what was written, and a quote that is not closed makes an address a part of something else.
        for problem in &mut problems {
            let related = problem.related.iter_mut().map(|(_, label)| label);
            let texts = [&mut problem.message, &mut problem.remedy].into_iter().chain(&mut problem.label);
            for text in texts.chain(related) {
                *text = without_passwords(text);
            }
        }
        // What stands outside of the file comes last, nearest to the prompt where it was typed.
        problems.sort_by_key(|problem| problem.span.as_ref().map_or(usize::MAX, |span| span.start));
        Self { file: file.to_owned(), text: without_passwords(text), problems, is_unreadable }
    }

    /// The problems in the order of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// All problems as text for a terminal, each with `file:line:column` and its remedy.
    pub fn render(&self, in_colour: bool) -> String {
        let renderer = match in_colour {
            true => Renderer::styled(),
            false => Renderer::plain(),
        };
        let mut text = String::new();
        for problem in &self.problems {
            text.push_str(&renderer.render(&[self.report(problem)]));
            text.push_str("\n\n");
        }
        text.push_str(&match self.problems.len() {
            1 => "1 problem in the configuration".to_owned(),
            count => format!("{count} problems in the configuration"),
        });
        if self.is_unreadable {
            text.push_str("; what the keys mean is looked at once the file is TOML");
        }
        text.push('\n');
        text
    }

    fn report<'a>(&'a self, problem: &'a Problem) -> Group<'a> {
        let mut report = Group::with_title(Level::ERROR.primary_title(&problem.message));
        if let Some(span) = &problem.span {
            let place = AnnotationKind::Primary.span(span.clone()).label(problem.label.as_deref());
            let mut snippet = Snippet::source(&self.text).path(&self.file).annotation(place);
            if let Some((span, label)) = &problem.related {
                snippet = snippet.annotation(AnnotationKind::Context.span(span.clone()).label(label));
            }
            report = report.element(snippet);
        }
        // The remedy may repeat what was written, so it must not command the terminal.
        report.element(Level::HELP.message(normalize_untrusted_str(&problem.remedy)))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_recognised() {
        let kinds = ["string", "integer", "float", "boolean"];
        for (given, meant) in [
            ("sting", Some("string")),
            ("int", Some("integer")),
            ("Boolean", Some("boolean")),
            ("date", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, &kinds), meant, "{given}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let text = "a = \"postgres://ann:pä:s@s@host/db\"";
        let error = ConfigError::new("f", text, vec![Problem::at(0..1, "m", "r")], false);
        assert!(!format!("{error} {error:?}").contains("s@s"));
        let quoted = || "postgres://ann:s@s@host/db".to_owned();
        let problem = Problem {
            label: Some(quoted()),
            related: Some((0..1, quoted())),
            ..Problem::at(0..1, quoted(), quoted())
        };
        let error = ConfigError::new("f", "a", vec![problem], false);
        assert!(!format!("{error} {error:?}").contains("s@s"));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let error =
            ConfigError::new("f", "a = '\u{1b}[2J'", vec![Problem::at(0..1, "m\u{1b}", "r\u{1b}")], false);
        assert!(!error.render(false).contains('\u{1b}'));
    }
}
