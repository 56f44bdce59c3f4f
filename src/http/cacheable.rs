//! Which answers may be given again, and what of them the response cache keeps.

use std::borrow::Cow;

use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode, Version, header};

use super::content::Content;
use super::raw_response;
use super::request::Request;
use super::request_id::X_REQUEST_ID;
use super::response::Response;
use super::response_cache::{Asked, CachedResponse};

/// No longer body is kept: what it costs is to send it.
const LONGEST_BODY: usize = 16 * 1024;

/// The answer as it will be sent but for `X-Request-Id` and `Date`; `None` where one like it may not be given again.
pub(super) fn cached(
    asked: Asked,
    request: &Request,
    response: &Response,
    path: Cow<'_, str>,
) -> Option<CachedResponse> {
    let Parts { headers, version, .. } = &request.head;
    let is_usual = *version == Version::HTTP_11 && keeps_connection(headers);
    let depends_on_more = headers.contains_key(X_REQUEST_ID)
        || headers.contains_key(header::EXPECT)
        || response.headers().contains_key(header::CONNECTION);
    if !is_usual || depends_on_more || response.status() != StatusCode::OK {
        return None;
    }
    let Content::Whole(body) = response.body() else { return None };
    let body_length = body.len();
    if body_length > LONGEST_BODY {
        return None;
    }
    let mut rest = format!("{}: {body_length}\r\n\r\n", header::CONTENT_LENGTH).into_bytes();
    rest.reserve_exact(body_length);
    body.pieces().for_each(|piece| rest.extend_from_slice(piece));
    Some(CachedResponse {
        version: asked.version,
        head: raw_response::head(response.status(), response.headers()).into(),
        rest: rest.into(),
        body_length,
        route: request.route,
        path: path.into(),
        caller: request.caller.clone(),
        client: request.forwarded_client(),
    })
}

/// Whether the connection goes on after the answer, as it does without a word.
fn keeps_connection(headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(header::CONNECTION).iter();
    said.all(|value| value.as_bytes().eq_ignore_ascii_case(b"keep-alive"))
}
