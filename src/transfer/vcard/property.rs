//! One property of a card: its group, name, parameters and value.
//!
//! Nothing is unescaped before it is asked for. Of the parameters only those are looked at that say how to read the value
//! or whether it is preferred; none of them can hold what RFC 6868 escapes.

use super::text;

/// How the bytes of a value are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    QuotedPrintable,
    Base64,
}

/// One line of a card.
#[derive(Debug, Clone, Copy)]
pub struct Property<'a> {
    /// As written; empty where it has none.
    pub group: &'a str,
    /// As written, in any case.
    pub name: &'a str,
    /// From behind the name up to the colon.
    parameters: &'a str,
    value: &'a [u8],
    is_2_1: bool,
}

/// What a value cannot be read as.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("{0} is in the charset {1}, and only UTF-8, windows-1252 and ISO-8859-1 are known")]
    Charset(String, String),
    #[error("{0} is not UTF-8 once it is decoded; its CHARSET must say what it is")]
    NotUtf8(String),
}

impl<'a> Property<'a> {
    /// A line, where it has a name and a colon.
    pub(super) fn parse(line: &'a [u8], is_2_1: bool) -> Option<Self> {
        let colon = colon(line)?;
        let head = std::str::from_utf8(&line[..colon]).ok()?;
        let (name, parameters) = head.split_at(head.find(';').unwrap_or(head.len()));
        let (group, name) = name.rsplit_once('.').unwrap_or(("", name));
        let (group, name) = (group.trim(), name.trim());
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_name = !name.is_empty() && name.bytes().all(is_of_name);
        is_name.then_some(Self { group, name, parameters, value: &line[colon + 1..], is_2_1 })
    }

    /// Whether it has this name.
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether it says nothing, in any of its components.
    pub fn is_empty(&self) -> bool {
        self.value.iter().all(|byte| matches!(byte, b';' | b' ' | b'\t'))
    }

    /// Its whole value.
    pub fn text(&self) -> Result<String, Unreadable> {
        self.decode(self.value)
    }

    /// Its components, each by itself: a `;` that is escaped, or written as `=3B`, is one of the text.
    pub fn components(&self) -> Result<Vec<String>, Unreadable> {
        text::split(self.value).into_iter().map(|component| self.decode(component)).collect()
    }

    /// The lower, the more it is preferred: 1 to 100 by `PREF` or `TYPE=pref`, beyond where it says nothing.
    pub fn preference(&self) -> u8 {
        let is_pref = |word: &str| word.eq_ignore_ascii_case("pref");
        let ranks = self.parameters().filter_map(|(name, value)| match name {
            None => is_pref(value).then_some(1),
            Some(name) if is_pref(name) => value.parse().ok().filter(|rank| (1..=100).contains(rank)),
            Some(name) if name.eq_ignore_ascii_case("TYPE") => value.split(',').any(is_pref).then_some(1),
            Some(_) => None,
        });
        ranks.min().unwrap_or(u8::MAX)
    }

    /// Whether a parameter of this name has this value, in any case.
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.parameter(name).is_some_and(|found| found.eq_ignore_ascii_case(value))
    }

    /// The first parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut all = self.parameters();
        all.find_map(|(found, value)| {
            found.is_some_and(|found| found.eq_ignore_ascii_case(name)).then_some(value)
        })
    }

    /// Names, which a word of 2.1 does not have, and values without quotes.
    fn parameters(&self) -> impl Iterator<Item = (Option<&'a str>, &'a str)> + use<'a> {
        let mut is_quoted = false;
        let is_end = move |character: char| {
            is_quoted ^= character == '"';
            character == ';' && !is_quoted
        };
        self.parameters.split(is_end).map(str::trim).filter(|part| !part.is_empty()).map(|part| {
            match part.split_once('=') {
                Some((name, value)) => (Some(name.trim()), value.trim().trim_matches('"')),
                None => (None, part),
            }
        })
    }

    /// How its value is written.
    pub(super) fn coding(&self) -> Coding {
        for (name, value) in self.parameters() {
            if name.is_some_and(|name| !name.eq_ignore_ascii_case("ENCODING")) {
                continue;
            }
            match value.to_ascii_uppercase().as_str() {
                "QUOTED-PRINTABLE" => return Coding::QuotedPrintable,
                "BASE64" | "B" => return Coding::Base64,
                _ => {}
            }
        }
        Coding::Plain
    }

    fn decode(&self, value: &[u8]) -> Result<String, Unreadable> {
        if self.coding() != Coding::QuotedPrintable {
            // The reader has seen that it is UTF-8.
            let text = String::from_utf8_lossy(value);
            return Ok(if self.is_2_1 { text::unescape_2_1(&text) } else { text::unescape(&text) });
        }
        let bytes = text::unquote(value);
        let text = match self.parameter("CHARSET").map(str::to_ascii_uppercase).as_deref() {
            Some("WINDOWS-1252" | "CP1252" | "ISO-8859-1" | "LATIN1") => text::from_windows_1252(&bytes),
            Some(other) if !matches!(other, "UTF-8" | "UTF8") && !bytes.is_ascii() => {
                return Err(Unreadable::Charset(self.upper_name(), other.to_owned()));
            }
            _ => String::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8(self.upper_name()))?,
        };
        Ok(text.replace("\r\n", "\n").replace("\\;", ";"))
    }

    /// Its name as it is reported.
    pub fn upper_name(&self) -> String {
        self.name.to_ascii_uppercase()
    }
}

/// How the value of a line is written, as far as its parameters are there.
pub(super) fn coding_of(line: &[u8]) -> Coding {
    Property::parse(line, false).map_or(Coding::Plain, |property| property.coding())
}

/// Where the value begins: the first colon that is not in quotes, or the first one where quotes are never closed.
fn colon(line: &[u8]) -> Option<usize> {
    let mut is_quoted = false;
    let unquoted = line.iter().position(|byte| {
        is_quoted ^= *byte == b'"';
        *byte == b':' && !is_quoted
    });
    unquoted.or_else(|| line.iter().position(|byte| *byte == b':'))
}
