//! Web pages of other origins: which of them a browser lets read our answers (CORS).
//!
//! Keys travel in headers that a page sets itself and never in cookies, so nothing here allows credentials.

use crate::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header, response,
};

/// Stands for every origin.
/// For `Vary`.
const ORIGIN: HeaderValue = HeaderValue::from_static("Origin");
const ANY: &str = "*";
/// What a page may send besides what every page may.
const SENT: HeaderValue = HeaderValue::from_static(
    "Authorization, X-API-Key, Content-Type, If-Match, If-None-Match, Prefer, Idempotency-Key",
);
/// What a page may read besides what every page may.
const READ: HeaderValue = HeaderValue::from_static(
    "Location, Link, ETag, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Preference-Applied, Idempotency-Replayed",
);
/// For how many seconds a browser need not ask again.
const ASKED: HeaderValue = HeaderValue::from_static("600");

/// The origins whose pages may read our answers.
pub(super) struct Cors {
    /// Compared as browsers send them, to the byte.
    origins: Vec<String>,
    is_for_any: bool,
}

impl Cors {
    /// `None` where no origin is listed: then nothing is said, and nothing is looked at.
    pub(super) fn new(origins: Vec<String>) -> Option<Self> {
        let is_for_any = origins.iter().any(|origin| origin == ANY);
        (!origins.is_empty()).then_some(Self { origins, is_for_any })
    }

    /// Says on an answer, whatever it is, that the page may read it; and to a browser that asks beforehand,
    /// what it may send.
    pub(super) fn mark(&self, request: &Request, response: &mut Response) {
        // A cache must not hand the answer for one origin to another.
        response::vary(response.headers_mut(), ORIGIN);
        let Some(allowed) = self.allowed(request.headers()) else { return };
        let is_asked = *request.method() == Method::OPTIONS
            && response.status() == StatusCode::NO_CONTENT
            && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
        if is_asked {
            // What is allowed here, the answer to OPTIONS says anyway.
            if let Some(methods) = headers.get(header::ALLOW).cloned() {
                headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            }
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, SENT);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, ASKED);
        }
    }

    /// Whether the page that a request comes from is one of those.
    pub(super) fn allows(&self, headers: &HeaderMap) -> bool {
        self.allowed(headers).is_some()
    }

    /// What to call the origin of a request that may read the answer.
    fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = sole(headers, &header::ORIGIN)?;
        if self.is_for_any {
            return Some(HeaderValue::from_static(ANY));
        }
        let is_listed = self.origins.iter().any(|listed| listed.as_bytes() == origin.as_bytes());
        is_listed.then(|| origin.clone())
    }
}

/// The value of a header that stands there once.
fn sole<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}
