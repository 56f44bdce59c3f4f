//! The head of a request, checked before anybody looks at the request: its lengths, its host, its codings.

use hyper::http::uri::Authority;
use hyper::{Method, Version};

use super::host;
use super::limits::Settings;
use super::refusal::Refusal;
use super::request::Request;

/// Refuses what can be refused before anybody looks at the request.
pub(super) fn check(request: &Request, settings: &Settings, longest_body: usize) -> Result<(), Refusal> {
    if let Some(refusal) = request.refusal {
        return Err(refusal);
    }
    let limit = longest_body;
    let takes_body = matches!(*request.method(), Method::POST | Method::PUT | Method::PATCH);
    let announced = request.body.incoming_size().lower();
    if takes_body && usize::try_from(announced).unwrap_or(usize::MAX) > limit {
        return Err(Refusal::BodyTooLarge { limit });
    }

    let limit = settings.max_url;
    let url = request.head.uri.path_and_query();
    if url.is_some_and(|url| url.as_str().len() > limit) {
        return Err(Refusal::UrlTooLong { limit });
    }

    let authority = request.head.uri.authority();
    let mut hosts = request.headers().get_all(hyper::header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        // In HTTP/2 it is the same as the authority, or left out.
        (Some(host), None) if request.head.version == Version::HTTP_2 => {
            let is_other = |authority: &Authority| authority.as_str().as_bytes() != host.as_bytes();
            if authority.is_some_and(is_other) || !host::is_valid(host.as_bytes()) {
                return Err(Refusal::BadHost);
            }
        }
        (None, None) if request.head.version == Version::HTTP_2 && authority.is_some() => {}
        (Some(host), None) if host::is_valid(host.as_bytes()) => {}
        // Only the old protocol may leave it out.
        (None, None) if request.head.version == Version::HTTP_10 => {}
        _ => return Err(Refusal::BadHost),
    }
    match authority {
        Some(authority) if !host::is_valid(authority.as_str().as_bytes()) => return Err(Refusal::BadHost),
        _ => {}
    }

    let mut codings = request.headers().get_all(hyper::header::TRANSFER_ENCODING).iter();
    let is_chunked = codings.next().is_none_or(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    if !is_chunked || codings.next().is_some() { Err(Refusal::UnknownCoding) } else { Ok(()) }
}
