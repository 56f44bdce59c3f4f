//! Response, and small builders of it.

use hyper::header::{self, Entry, HeaderValue};
use hyper::{HeaderMap, StatusCode};

use super::content::Content;

/// An answer. Most have a body that is whole before the first byte is sent.
pub type Response = hyper::Response<Content>;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A note on an answer that is not to be compressed: it is already, or holds a secret, which its length would betray.
#[derive(Clone, Copy, Debug)]
pub(super) struct AsItIs;

/// The answer, to be sent with these very bytes.
pub fn as_it_is(mut response: Response) -> Response {
    response.extensions_mut().insert(AsItIs);
    response
}

/// Says that the answer would be another one without this header field of the request.
pub fn vary(headers: &mut HeaderMap, name: HeaderValue) {
    match headers.entry(header::VARY) {
        Entry::Vacant(entry) => _ = entry.insert(name),
        Entry::Occupied(mut entry) => {
            let all = [entry.get().as_bytes(), b", ", name.as_bytes()].concat();
            // What is put together of header fields is one.
            entry.insert(HeaderValue::from_bytes(&all).unwrap_or(name));
        }
    }
}

/// An answer whose body is JSON.
pub fn json(status: StatusCode, body: impl Into<Content>) -> Response {
    with_type(status, JSON, body)
}

/// An answer with an empty body, of the same content type as all others.
pub fn empty(status: StatusCode) -> Response {
    with_type(status, JSON, Content::default())
}

/// An answer that has no body at all.
pub fn no_content() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// A note on an answer that stands for a body of this length.
#[derive(Clone, Copy, Debug)]
pub(super) struct StandsFor(pub(super) usize);

/// Says that the client has it already: so many bytes.
pub fn not_modified(length: usize) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.extensions_mut().insert(StandsFor(length));
    response
}

/// Says where the client finds what it wants.
pub fn see_other(location: &'static str) -> Response {
    let mut response = empty(StatusCode::SEE_OTHER);
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(location));
    response
}

/// An answer of some other content type.
pub fn of_type(status: StatusCode, content_type: &'static str, body: impl Into<Content>) -> Response {
    with_type(status, HeaderValue::from_static(content_type), body)
}

fn with_type(status: StatusCode, content_type: HeaderValue, body: impl Into<Content>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    // Room for what nearly every answer has, at once.
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(header::CONTENT_TYPE, content_type);
    *response.headers_mut() = headers;
    response
}
