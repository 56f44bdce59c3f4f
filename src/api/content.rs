//! What a request says about its body, about the record it has seen, and wishes for its answer.

use std::time::Duration;

use super::error::ApiError;
use crate::http::{HeaderMap, HeaderName, HeaderValue, header};
use crate::record::etag::{ETags, ExpandedETag};

pub(super) const PREFER: HeaderName = HeaderName::from_static("prefer");
pub(super) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// What errors are, and what they are on request.
const JSON: &str = "application/json";
pub(super) const PROBLEM_JSON: &str = "application/problem+json";
pub(super) const RETURN_REPRESENTATION: HeaderValue = HeaderValue::from_static("return=representation");

/// For how many seconds clients wait that do not say it, and at the most.
const USUAL_WAIT: u64 = 10;
const LONGEST_WAIT: u64 = 60;

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
    let media_type = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = match media_type.strip_prefix("application/") {
        Some(subtype) => subtype == "json" || subtype.ends_with("+json"),
        None => false,
    };
    if is_json && charsets(text).all(is_utf8) { Ok(()) } else { Err(ApiError::UnsupportedMediaType) }
}

/// The encodings that a `Content-Type` names.
pub(super) fn charsets(content_type: &str) -> impl Iterator<Item = &str> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let of_charset = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    of_charset.map(|(_, value)| value.trim().trim_matches('"'))
}

pub(super) fn is_utf8(charset: &str) -> bool {
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

/// What `If-Match` names, and `If-None-Match` does not: the client wants to change only what it has seen, or only
/// what it has not.
pub(super) fn if_match(headers: &HeaderMap) -> Option<ETags> {
    let (named, unnamed) = (tags(headers, header::IF_MATCH), tags(headers, header::IF_NONE_MATCH));
    seen(named.as_deref(), unnamed.as_deref())
}

/// The same, where the values are known.
pub(super) fn seen(if_match: Option<&str>, if_none_match: Option<&str>) -> Option<ETags> {
    let named = if_match.map(ETags::strong);
    match if_none_match {
        Some(unnamed) => Some(ETags::except(named, ETags::weak(unnamed))),
        None => named,
    }
}

/// What `If-None-Match` names: the client has it already.
pub(super) fn if_none_match(headers: &HeaderMap) -> Option<ETags> {
    tags(headers, header::IF_NONE_MATCH).map(|value| ETags::weak(&value))
}

/// Whether `If-None-Match` names this: the client has it already.
pub(super) fn holds_expanded(headers: &HeaderMap, tag: ExpandedETag) -> bool {
    tags(headers, header::IF_NONE_MATCH).is_some_and(|value| tag.is_named_by(&value))
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
    preference(headers, "return").is_some_and(|value| value.eq_ignore_ascii_case("representation"))
}

/// How long the client would wait for what takes long (RFC 7240).
pub(super) fn wait(headers: &HeaderMap) -> Duration {
    let wish = preference(headers, "wait").and_then(|value| value.parse().ok());
    Duration::from_secs(wish.unwrap_or(USUAL_WAIT).min(LONGEST_WAIT))
}

/// The value of a preference; of one that is given twice the first counts.
fn preference<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let preferences = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    preferences.flat_map(|text| text.split(',')).find_map(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=')?;
        name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim().trim_matches('"'))
    })
}

/// Whether the client asks for errors as problem details (RFC 9457): it names them itself, and would not rather have
/// plain JSON.
pub(super) fn wants_problem(headers: &HeaderMap) -> bool {
    let Some(problem) = weight(headers, header::ACCEPT, PROBLEM_JSON) else { return false };
    problem > 0.0 && weight(headers, header::ACCEPT, JSON).is_none_or(|json| json <= problem)
}

/// The weight with which a header names this choice, the highest where it does so more than once; `None` where it does
/// not. Wildcards do not count, and a weight that is none is 0.
pub(super) fn weight(headers: &HeaderMap, name: HeaderName, choice: &str) -> Option<f32> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let named = values.flat_map(|text| text.split(unquoted(','))).filter_map(|one| {
        let mut parts = one.split(unquoted(';')).map(str::trim);
        if !parts.next()?.eq_ignore_ascii_case(choice) {
            return None;
        }
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        let Some(weight) = weight else { return Some(1.0) };
        Some(weight.parse().ok().filter(|weight| (0.0..=1.0).contains(weight)).unwrap_or(0.0))
    });
    named.reduce(f32::max)
}

/// Finds a separator that does not stand within a quoted string.
fn unquoted(separator: char) -> impl FnMut(char) -> bool {
    let (mut is_quoted, mut is_escaped) = (false, false);
    move |c| {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => return c == separator && !is_quoted,
        }
        false
    }
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

    #[test]
    fn a_problem_is_asked_for_by_its_own_name() {
        let judged = |texts: &[&str]| {
            let mut headers = HeaderMap::new();
            for text in texts {
                headers.append(header::ACCEPT, HeaderValue::from_str(text).unwrap());
            }
            wants_problem(&headers)
        };
        for yes in [
            "application/problem+json",
            "Application/Problem+JSON; charset=utf-8",
            "application/problem+json;q=0.001",
            "application/json, application/problem+json",
            "application/json;q=0.5, application/problem+json ; Q=0.5",
            "application/json;q=0.5, application/problem+json",
            "application/problem+json;q=0.1, */*",
            "application/problem+json;q=0, application/problem+json",
            "text/html;x=\"a,b;c\\\"d\", application/problem+json;profile=\"1, 2\";q=0.2",
        ] {
            assert!(judged(&[yes]), "{yes}");
        }
        for no in [
            "",
            "*/*",
            "application/*",
            "application/json",
            "application/problem+xml",
            "application/problem+json;q=0",
            "application/problem+json;q=0.000",
            "application/problem+json;q=nonsense",
            "application/problem+json;q=nan",
            "application/problem+json;q=2",
            "application/problem+json;q=0.5, application/json",
            "application/json;q=0.6, application/problem+json;q=0.5",
            "text/html;x=\"a, application/problem+json\"",
            "application/problem+jsonx",
        ] {
            assert!(!judged(&[no]), "{no}");
        }
        assert!(judged(&["application/json", "application/problem+json"]), "in two lines");
        assert!(!judged(&["application/json;q=1", "application/problem+json;q=0.9"]));
        assert!(!judged(&[]));
    }
}
