//! What a request says about its body, about the record it has seen, and wishes for its answer.

use super::error::ApiError;
use crate::http::{HeaderMap, HeaderName, HeaderValue, header};
use crate::record::etag::ETags;

pub(super) const PREFER: HeaderName = HeaderName::from_static("prefer");
pub(super) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
pub(super) const RETURN_REPRESENTATION: HeaderValue = HeaderValue::from_static("return=representation");

/// Accepts a body that says nothing about itself, or that it is JSON in UTF-8, as it is.
pub(super) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_encoded = |value: &HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(is_encoded) {
        return Err(ApiError::EncodedBody);
    }
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(value) = values.next() else {
        return Ok(());
    };
    if values.next().is_some() {
        return Err(ApiError::UnsupportedMediaType);
    }
    let text = value.to_str().map_err(|_| ApiError::UnsupportedMediaType)?;
    let mut parts = text.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = match media_type.strip_prefix("application/") {
        Some(subtype) => subtype == "json" || subtype.ends_with("+json"),
        None => false,
    };
    let is_utf8 = parts.filter_map(|parameter| parameter.split_once('=')).all(|(name, value)| {
        let value = value.trim().trim_matches('"');
        !name.trim().eq_ignore_ascii_case("charset")
            || value.eq_ignore_ascii_case("utf-8")
            || value.eq_ignore_ascii_case("utf8")
    });
    if is_json && is_utf8 { Ok(()) } else { Err(ApiError::UnsupportedMediaType) }
}

/// What `If-Match` names, and `If-None-Match` does not: the client wants to change only what it has seen, or only
/// what it has not.
pub(super) fn seen(headers: &HeaderMap) -> Option<ETags> {
    let named = tags(headers, header::IF_MATCH).map(|value| ETags::strong(&value));
    match held(headers) {
        Some(unnamed) => Some(ETags::but(named, unnamed)),
        None => named,
    }
}

/// What `If-None-Match` names: the client has it already.
pub(super) fn held(headers: &HeaderMap) -> Option<ETags> {
    tags(headers, header::IF_NONE_MATCH).map(|value| ETags::weak(&value))
}

/// The value of a header that may stand in several lines. A tag that is not ASCII is none of ours, and stays in
/// as something that matches nothing: neither a demand nor the tags beside it may be dropped for it.
fn tags(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let values: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!values.is_empty()).then(|| values.join(","))
}

/// Whether the client would rather have the record than an empty answer (RFC 7240).
pub(super) fn wants_representation(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let preferences = preferences.flat_map(|text| text.split(','));
    // Of a preference that is given twice the first counts.
    let wish = preferences.into_iter().find_map(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=')?;
        name.trim().eq_ignore_ascii_case("return").then(|| value.trim().trim_matches('"'))
    });
    wish.is_some_and(|value| value.eq_ignore_ascii_case("representation"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_utf8_is_accepted_and_nothing_else() {
        let judged = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(text).unwrap());
            check(&headers).is_ok()
        };
        for yes in ["application/json", "Application/JSON; charset=UTF-8", "application/merge-patch+json"] {
            assert!(judged(yes), "{yes}");
        }
        assert!(judged("application/json;charset=\"utf-8\""));
        for no in [
            "text/plain",
            "application/json; charset=latin1",
            "application/x-www-form-urlencoded",
            "",
            "json",
        ] {
            assert!(!judged(no), "{no}");
        }
        assert!(check(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn a_preference_is_found_among_others() {
        let judged = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(PREFER, HeaderValue::from_str(text).unwrap());
            wants_representation(&headers)
        };
        assert!(judged("return=representation"));
        assert!(judged("respond-async, Return = \"representation\"; x=1"));
        assert!(!judged("return=minimal"));
        assert!(!judged("return=minimal, return=representation"));
    }
}
