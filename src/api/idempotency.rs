//! Safe retries: the key that a client gives a request (`Idempotency-Key`), and what makes the request itself.

use super::access::Caller;
use super::content;
use super::error::ApiError;
use crate::catalog::collection::Collection;
use crate::http::{HeaderMap, HeaderName, HeaderValue, Request};
use crate::record::RecordId;
use crate::store::write::IdempotencyToken;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Says of an answer that it was given before.
pub(super) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
pub(super) const YES: HeaderValue = HeaderValue::from_static("true");
/// The most characters of a key.
pub(super) const LONGEST_KEY: usize = 255;
/// The headers that may change what a write is answered.
const HEADERS: [&str; 3] = ["if-match", "if-none-match", "prefer"];

/// What a write is about, as its path and its query say.
pub(super) struct Target<'a> {
    /// The collection, or what else stands in the path.
    pub(super) name: &'a str,
    pub(super) id: Option<RecordId>,
    /// The unique rule by which an upsert finds its record.
    pub(super) by: Option<usize>,
}

impl<'a> Target<'a> {
    pub(super) fn list(collection: &'a Collection) -> Self {
        Self { name: collection.name(), id: None, by: None }
    }

    pub(super) fn record(collection: &'a Collection, id: RecordId) -> Self {
        Self { id: Some(id), ..Self::list(collection) }
    }
}

/// What makes this request one that may be sent again, where the client says that it may.
pub(super) fn token(
    caller: &Caller,
    target: Target<'_>,
    request: &Request,
    body: &[u8],
) -> Result<Option<IdempotencyToken>, ApiError> {
    let headers = request.headers();
    let Some(key) = key(headers)? else { return Ok(None) };
    // A caller is who was given a key, whichever secret that is now; and nobody else is told what they were told.
    let (kind, name) = match caller {
        Caller::Anonymous => ("anonymous", &b""[..]),
        Caller::Known(holder) => ("holder", holder.id.as_bytes()),
    };
    let id = target.id.map_or(0, RecordId::get).to_be_bytes();
    let mut request = vec![request.method().as_str().as_bytes(), target.name.as_bytes(), &id, body];
    for name in HEADERS {
        let values = headers.get_all(name).iter().map(HeaderValue::as_bytes);
        request.extend(std::iter::once(name.as_bytes()).chain(values));
    }
    let by = target.by.map(usize::to_be_bytes);
    if let Some(by) = &by {
        request.extend([&b"by"[..], by]);
    }
    let identity = [kind.as_bytes(), name, key.as_bytes()];
    Ok(Some(IdempotencyToken::new(&identity, &request, content::wants_representation(headers))))
}

/// The key, if there is one: a string as structured fields write it (RFC 9651), or the same text bare.
fn key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(ApiError::RetryKeyGivenTwice);
    }
    let text = value.to_str().ok().and_then(parse).ok_or(ApiError::BadRetryKey)?;
    Ok(Some(text))
}

fn parse(value: &str) -> Option<String> {
    let value = value.trim_matches([' ', '\t']);
    let text = match value.strip_prefix('"') {
        Some(rest) => unquote(rest)?,
        None => value.to_owned(),
    };
    let is_good =
        (1..=LONGEST_KEY).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    is_good.then_some(text)
}

/// What stands before the closing quote, which must be the last character.
fn unquote(rest: &str) -> Option<String> {
    let mut text = String::with_capacity(rest.len());
    let mut characters = rest.chars();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(text),
            '\\' => text.push(characters.next().filter(|c| matches!(c, '"' | '\\'))?),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_in_quotes_and_bare() {
        let uuid = "8e03978e-40d5-43dd-bc93-6894a57f9324";
        for (value, text) in [
            (uuid, uuid),
            ("\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", uuid),
            (" \"a b\"\t", "a b"),
            ("a b", "a b"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            (r#"a"b\c"#, r#"a"b\c"#),
            ("~", "~"),
        ] {
            assert_eq!(parse(value).as_deref(), Some(text), "{value}");
        }
        let longest = "x".repeat(LONGEST_KEY);
        assert_eq!(parse(&longest), Some(longest.clone()));
        assert_eq!(parse(&format!("\"{longest}\"")), Some(longest));
    }

    #[test]
    fn what_is_empty_too_long_unprintable_or_half_quoted_is_no_key() {
        let long = "x".repeat(LONGEST_KEY + 1);
        let quoted = format!("\"{long}\"");
        for value in [
            "",
            " ",
            "\"\"",
            "\"",
            "\"a",
            "\"a\"b",
            "\"a\";b=1",
            "\"a\\b\"",
            "\"a\\",
            "a\tb",
            "é",
            "\u{7f}",
            &long,
            &quoted,
        ] {
            assert_eq!(parse(value), None, "{value:?}");
        }
    }
}
