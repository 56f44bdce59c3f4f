//! Security headers: what a browser may use an answer for, and that it is nothing to run.

use crate::http::{HeaderMap, HeaderName, HeaderValue, header};

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// A URL may hold an access key.
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");
const CROSS_ORIGIN: HeaderValue = HeaderValue::from_static("cross-origin");
/// Data: nothing in it is run, shown or framed.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

/// The same on every answer of this server.
pub(super) struct SecurityHeaders {
    resources: HeaderValue,
    transport: Option<HeaderValue>,
}

impl SecurityHeaders {
    /// `hsts` is for how many seconds browsers are to come with TLS only; 0 for nothing said.
    pub(super) fn new(is_shared: bool, hsts: u64) -> Self {
        let transport = HeaderValue::from_str(&format!("max-age={hsts}")).ok();
        Self {
            resources: if is_shared { CROSS_ORIGIN } else { SAME_ORIGIN },
            transport: transport.filter(|_| hsts > 0),
        }
    }

    pub(super) fn add_to(&self, headers: &mut HeaderMap) {
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NOSNIFF);
        headers.insert(header::REFERRER_POLICY, NO_REFERRER);
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, self.resources.clone());
        // The console has its own.
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(NOTHING);
        if let Some(transport) = &self.transport {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, transport.clone());
        }
    }
}
