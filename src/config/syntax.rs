//! What is wrong with the file as TOML, in words that say what to do.
//!
//! The parser recovers from some slips and gets lost after others, so its first complaint is believed,
//! the lines that it is about are blanked out, and the rest is parsed again: one problem for each slip.

use super::duplicate::duplicate;
use super::problem::Problem;
use std::ops::Range;
use toml::de::{DeTable, DeValue, Error};

/// Beyond so many slips the file is something else than TOML.
const MOST: usize = 20;

const DUPLICATE: &str = "duplicate key";

/// The problems of a text that the TOML parser complained about.
#[derive(Debug, Default)]
pub(super) struct Syntax {
    pub(super) problems: Vec<Problem>,
    /// Whether the tree cannot be trusted. A key that is given twice leaves the rest of it intact.
    pub(super) is_broken: bool,
}

impl Syntax {
    pub(super) fn check(text: &str, tree: &DeTable<'_>, errors: &[Error]) -> Self {
        if let Some(error) = first_slip(text, errors) {
            return Self { problems: slips(text, error), is_broken: true };
        }
        // Tables under `[collection]` instead of `[[collection]]` repeat each other; the walk says why.
        let end = match tree.get("collection").map(toml::Spanned::get_ref) {
            Some(DeValue::Table(_)) => first_heading(text, "[collection").map_or(text.len(), |at| at.start),
            _ => text.len(),
        };
        let places = errors.iter().filter_map(Error::span).filter(|span| span.start < end);
        Self { problems: places.map(|span| duplicate(text, tree, span)).collect(), is_broken: false }
    }
}

/// Where the first heading stands that begins so.
pub(super) fn first_heading(text: &str, beginning: &str) -> Option<Range<usize>> {
    let line = lines(text).find(|line| text[line.clone()].trim_start().starts_with(beginning))?;
    let start = line.end - text[line.clone()].trim_start().len();
    Some(start..start + text[line].trim().len())
}

/// The complaint that stands first; of several on one line, the one about a text without its end, from
/// which the others follow.
fn first_slip<'e>(text: &str, errors: &'e [Error]) -> Option<&'e Error> {
    let slips = errors.iter().filter(|error| error.message() != DUPLICATE);
    slips.min_by_key(|error| {
        let start = place(text, error).start;
        let is_text = error.message().starts_with("invalid basic string");
        (line_start(text, start), !is_text, start)
    })
}

/// One problem for each slip, beginning with the one that was found first.
fn slips(text: &str, first: &Error) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut rest = text.to_owned();
    let mut slip = Some(first.clone());
    while let Some(error) = slip {
        let span = place(text, &error);
        let (problem, blank) = explain(&rest, span.clone(), error.message());
        problems.push(problem);
        if span.start >= rest.trim_end().len() || problems.len() == MOST {
            break;
        }
        let blanks: String = rest[blank.clone()].chars().map(blanked).collect();
        rest.replace_range(blank, &blanks);
        let errors = DeTable::parse_recoverable(&rest).1;
        slip = first_slip(&rest, &errors).cloned();
    }
    problems
}

/// As many spaces as the letter has bytes; lines stay lines.
fn blanked(letter: char) -> &'static str {
    match letter {
        '\n' => "\n",
        _ => &"    "[..letter.len_utf8()],
    }
}

/// The problem behind a complaint, and the lines to leave out to go on.
fn explain(text: &str, span: Range<usize>, complaint: &str) -> (Problem, Range<usize>) {
    let start = line_start(text, span.start);
    let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let line = &text[start..end];
    let is_statement =
        line.starts_with('[') || line.split_once('=').is_some_and(|(key, _)| !key.contains('"'));
    let comes_first = text[start..span.start].trim().is_empty();
    let above = text[..start].trim_end();
    // A new statement where a comma was expected: what is missing is the end of the one above.
    if complaint.contains("comma between") && is_statement && comes_first && !above.is_empty() {
        let (what, bracket) = match complaint.contains("array") {
            true => ("array", ']'),
            false => ("inline table", '}'),
        };
        let message = format!("this is not TOML: unclosed {what}");
        let problem = Problem::at(above.len()..above.len(), message, format!("close it with `{bracket}`"));
        return (problem, statement_start(above)..start);
    }
    let complaint =
        match text[start..span.start].trim_end().ends_with('=') && text[span.start..end].trim().is_empty() {
            true => "missing value",
            false => complaint,
        };
    let (message, remedy) = words(complaint);
    (Problem::at(span, message, remedy), start..end)
}

/// Where the last statement of a text begins: a heading, or `key = …`.
fn statement_start(text: &str) -> usize {
    let starts = lines(text).filter(|line| {
        let line = &text[line.clone()];
        line.starts_with('[') || line.contains('=')
    });
    starts.last().map_or(0, |line| line.start)
}

/// What the parser says first, and what mends it.
const REMEDIES: [(&str, &str); 16] = [
    ("string values must be quoted", "put text in double quotes: `\"…\"`"),
    ("missing opening quote", "put text in double quotes: `\"…\"`"),
    ("invalid basic string", "close the text with `\"`; inside it, write `\\\\` for a backslash"),
    ("invalid literal string", "close the text with `'`"),
    ("missing value", "write a value after `=`"),
    ("key with no value", "write `key = value`; a key with spaces in it needs quotes"),
    ("invalid key-value pair", "write `key = value`, or a heading such as `[server]`"),
    ("unclosed table", "close the heading with `]`"),
    ("unclosed array table", "close the heading with `]]`"),
    ("unclosed array", "close the array with `]`"),
    ("unclosed inline table", "close the table with `}`"),
    ("missing comma", "put a comma between the two"),
    ("extra comma", "take the comma out"),
    ("invalid unquoted key", "use letters, digits, `_` and `-`, or put the key in quotes"),
    ("unexpected leading zero", "write the number without the zero in front"),
    ("unexpected key or value", "begin a new line here, or put a `#` before a comment"),
];

/// A complaint of the parser as a message and a remedy.
fn words(complaint: &str) -> (String, String) {
    let (what, expected) = match complaint.split_once(", expected ") {
        Some((what, expected)) => (what, Some(expected)),
        None => (complaint, None),
    };
    // A bare word is taken for whatever it begins like: `notes` for a `nan`, `127.0.0.1` for a float.
    let bare = ["invalid float", "invalid integer", "invalid boolean", "invalid datetime", "invalid value"];
    if bare.iter().any(|start| what.starts_with(start)) {
        let message = "this is not TOML: neither a number nor text in quotes";
        return (message.to_owned(), "put text in double quotes: `\"…\"`".to_owned());
    }
    let known = REMEDIES.iter().find(|(start, _)| what.starts_with(start));
    let remedy = match (known, expected) {
        (Some((_, remedy)), _) => (*remedy).to_owned(),
        (None, Some("nothing") | None) => {
            "mend this line; https://toml.io shows how TOML is written".to_owned()
        }
        (None, Some(expected)) => format!("TOML expects {expected} here"),
    };
    (format!("this is not TOML: {what}"), remedy)
}

/// Where a complaint is about; without a place of its own, the end.
fn place(text: &str, error: &Error) -> Range<usize> {
    let span = error.span().unwrap_or(text.len()..text.len());
    span.start.min(text.len())..span.end.min(text.len())
}

/// Every line, without its end.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    })
}

/// Where the line begins that holds this byte.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slip for each beginning of [`REMEDIES`].
    const SLIPS: [(&str, &str); 16] = [
        ("string values must be quoted", "a = éx"),
        ("missing opening quote", "a = x\""),
        ("invalid basic string", "a = \"x"),
        ("invalid literal string", "a = 'x"),
        ("missing value", "a ="),
        ("key with no value", "a"),
        ("invalid key-value pair", "{"),
        ("unclosed table", "[a"),
        ("unclosed array table", "[[a]"),
        ("unclosed array", "a = [1"),
        ("unclosed inline table", "a = {b = 1"),
        ("missing comma", "a = [\"x\" \"y\"]"),
        ("extra comma", "a = [1,,2]"),
        ("invalid unquoted key", "é = 1"),
        ("unexpected leading zero", "a = 01"),
        ("unexpected key or value", "a = \"x\" y"),
    ];

    /// The parser has no kinds of errors, only texts. Should another version word one of them differently, its
    /// remedy would be lost without a sound.
    #[test]
    fn every_remedy_is_found_by_what_the_parser_says_today() {
        for ((beginning, remedy), (expected, text)) in REMEDIES.into_iter().zip(SLIPS) {
            assert_eq!(beginning, expected);
            let (tree, errors) = DeTable::parse_recoverable(text);
            let problems = Syntax::check(text, tree.get_ref(), &errors).problems;
            assert_eq!(problems.len(), 1, "{text}");
            assert!(problems[0].message.contains(beginning), "{text}: {}", problems[0].message);
            assert!(problems[0].remedy.contains(remedy), "{text}: {}", problems[0].remedy);
        }
    }
}
