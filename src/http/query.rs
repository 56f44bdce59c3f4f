//! The query string: decoded pairs out of it, encoded pairs into it.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// How many pairs a query may have.
pub const MAX_PAIRS: usize = 64;

/// Everything but the characters that mean nothing anywhere in a URL.
pub(super) const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A decoded name and value.
pub type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Why a query string cannot be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// A percent sign is not followed by two hexadecimal digits.
    BadPercent,
    /// The decoded bytes are not UTF-8.
    NotUtf8,
    /// There are more than [`MAX_PAIRS`] pairs.
    TooManyPairs,
}

/// The pairs of a form-encoded query in their order.
///
/// A name without `=` has an empty value; nothing between two `&` is no pair.
pub fn parse(query: &str) -> Result<Vec<Pair<'_>>, QueryError> {
    let mut pairs = Vec::new();
    let mut rest = query;
    while !rest.is_empty() {
        let (pair, others) = cut(rest, b'&');
        rest = others;
        if pair.is_empty() {
            continue;
        }
        if pairs.len() == MAX_PAIRS {
            return Err(QueryError::TooManyPairs);
        }
        let (name, value) = cut(pair, b'=');
        pairs.push((decode(name, b' ')?, decode(value, b' ')?));
    }
    Ok(pairs)
}

/// What stands before and behind an ASCII character; all and nothing where there is none. Names and values are short: to
/// go through them costs less than what finds characters in long texts.
fn cut(text: &str, at: u8) -> (&str, &str) {
    match text.bytes().position(|byte| byte == at) {
        Some(place) => (&text[..place], &text[place + 1..]),
        None => (text, ""),
    }
}

/// Appends `name=value` to a URL.
pub fn push_pair(url: &mut String, name: &str, value: &str) {
    push_encoded(url, name);
    url.push('=');
    push_encoded(url, value);
}

fn push_encoded(url: &mut String, text: &str) {
    // Most texts mean nothing in a URL.
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)) {
        url.push_str(text);
    } else {
        url.extend(utf8_percent_encode(text, RESERVED));
    }
}

/// Takes the percent signs out of a text, in which a plus means `plus`.
pub(super) fn decode(text: &str, plus: u8) -> Result<Cow<'_, str>, QueryError> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => plus,
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                match (digit(), digit()) {
                    (Some(high), Some(low)) => (high << 4 | low) as u8,
                    _ => return Err(QueryError::BadPercent),
                }
            }
            plain => plain,
        });
    }
    let decoded = String::from_utf8(decoded).map_err(|_| QueryError::NotUtf8)?;
    Ok(Cow::Owned(decoded))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(query: &str) -> Vec<(String, String)> {
        let pairs = parse(query).unwrap().into_iter();
        pairs.map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn pairs_come_decoded_and_in_order() {
        assert_eq!(pairs(""), []);
        assert_eq!(pairs("&&"), []);
        assert_eq!(
            pairs("last_name=Do+e&&first%5Fname=J%C3%BCrgen&b=1%2B1=2&c&=d&b="),
            [
                pair("last_name", "Do e"),
                pair("first_name", "Jürgen"),
                pair("b", "1+1=2"),
                pair("c", ""),
                pair("", "d"),
                pair("b", ""),
            ]
        );
    }

    #[test]
    fn nonsense_is_an_error() {
        for query in ["a=%", "a=%2", "a=%zz", "%=a", "a=%+1", "a=%c3%9"] {
            assert_eq!(parse(query), Err(QueryError::BadPercent), "{query}");
        }
        for query in ["a=%ff", "%c3=a", "a=%c0%80", "a=%ed%a0%80"] {
            assert_eq!(parse(query), Err(QueryError::NotUtf8), "{query}");
        }
        let many = "a=1&".repeat(MAX_PAIRS);
        assert_eq!(parse(&many).map(|pairs| pairs.len()), Ok(MAX_PAIRS));
        assert_eq!(parse(&(many + "a")), Err(QueryError::TooManyPairs));
    }

    proptest! {
        #[test]
        fn what_was_pushed_is_parsed(name in ".+", value in ".*") {
            let mut query = String::new();
            push_pair(&mut query, &name, &value);
            query.push('&');
            push_pair(&mut query, "offset", "20");
            prop_assert!(query.is_ascii());
            prop_assert_eq!(pairs(&query), [pair(&name, &value), pair("offset", "20")]);
        }
    }
}
