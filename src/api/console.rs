//! The console's answers: its page and its files, and who is sent to it from `/`.

use super::content;
use crate::console::Place;
use crate::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header, response};
use crate::record::etag::ETag;

/// The page runs its own script, shows its own styles, talks to its own server, and nothing else.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");
/// The build is in the path: another content is at another address.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// Answers a file of the console.
pub(super) fn answer(place: Place, request: &Request) -> Response {
    if let Some(address) = better_address(place, request.path()) {
        return response::see_other(address);
    }
    let file = place.file();
    let gzip = file.gzip.filter(|_| accepts(request.headers(), header::ACCEPT_ENCODING, "gzip"));
    let bytes = gzip.map_or(file.plain, Into::into);
    let tag = ETag::of(&bytes);
    let is_held = content::if_none_match(request.headers()).is_some_and(|held| held.matches(&bytes));
    let mut response = if is_held {
        response::not_modified(bytes.len())
    } else {
        let mut response = response::of_type(StatusCode::OK, file.content_type, Vec::from(bytes));
        if gzip.is_some() {
            response.headers_mut().insert(header::CONTENT_ENCODING, GZIP);
        }
        response
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_bytes(&tag.text()) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::VARY, HeaderValue::from_name(header::ACCEPT_ENCODING));
    headers.insert(header::CACHE_CONTROL, if place.is_page() { ASK_AGAIN } else { FOR_EVER });
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    // Its files are compressed already, where that pays.
    response::as_it_is(response)
}

/// Sends a browser that asked for `/` to the console; `None` for everybody else.
pub(super) fn welcome(request: &Request) -> Option<Response> {
    let is_browser = accepts(request.headers(), header::ACCEPT, "text/html");
    is_browser.then(|| response::see_other("console/"))
}

/// The files name each other relative to the page, so that a proxy may put a path before all of it. That works only
/// from `/console/` and `/console/api`.
fn better_address(place: Place, path: &str) -> Option<&'static str> {
    match (place, path.ends_with('/')) {
        (Place::Start, false) => Some("console/"),
        (Place::Api, true) => Some("../api"),
        _ => None,
    }
}

/// Whether a header names this choice, and not only to refuse it.
fn accepts(headers: &HeaderMap, name: HeaderName, choice: &str) -> bool {
    content::weight(headers, name, choice).is_some_and(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_found_among_others_and_not_where_it_is_refused() {
        let judged = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(text));
            accepts(&headers, header::ACCEPT, "text/html")
        };
        for yes in ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8", "image/png, Text/HTML ; q=0.1"]
        {
            assert!(judged(yes), "{yes}");
        }
        for no in ["*/*", "application/json", "text/html;q=0", "text/html; q=0.000", "text/htmlx", ""] {
            assert!(!judged(no), "{no}");
        }
    }
}
