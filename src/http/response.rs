//! Small builders of answers.

use hyper::header::{self, HeaderValue};
use hyper::{HeaderMap, StatusCode};

use super::{Bytes, Response};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer whose body is JSON.
pub fn json(status: StatusCode, body: impl Into<Bytes>) -> Response {
    with_type(status, JSON, body)
}

/// An answer with an empty body, of the same content type as all others.
pub fn empty(status: StatusCode) -> Response {
    with_type(status, JSON, Bytes::new())
}

/// An answer that has no body at all.
pub fn no_content() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Says that the client has it already.
pub fn not_modified() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

/// Says where the client finds what it wants.
pub fn see_other(location: &'static str) -> Response {
    let mut response = empty(StatusCode::SEE_OTHER);
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static(location));
    response
}

/// An answer of some other content type.
pub fn of_type(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response {
    with_type(status, HeaderValue::from_static(content_type), body)
}

fn with_type(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(body.into().into());
    *response.status_mut() = status;
    // Room for what nearly every answer has, at once. For one more the map would be twice as large, and too
    // large for what an allocator keeps at hand.
    let mut headers = HeaderMap::with_capacity(6);
    headers.insert(header::CONTENT_TYPE, content_type);
    *response.headers_mut() = headers;
    response
}
