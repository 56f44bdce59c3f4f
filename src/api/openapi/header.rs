//! The header fields of answers.

use serde_json::{Map, Value};

use super::component::reference;
use crate::api::error::status::{RETRY_AFTER_TROUBLE, RETRY_SOON};

/// What `Link` is where it leads to this document.
pub(super) const SERVICE_LINK: &str = "Service-Link";
/// The header fields of every answer.
const OF_ALL: [&str; 9] = [
    "Cache-Control",
    "Content-Encoding",
    "Content-Security-Policy",
    "Cross-Origin-Resource-Policy",
    "Referrer-Policy",
    "Strict-Transport-Security",
    "Vary",
    "X-Content-Type-Options",
    "X-Request-Id",
];
/// The header fields of every answer of a limited collection to a known access key.
const LIMITS: [&str; 2] = ["RateLimit-Policy", "RateLimit"];

/// The header fields of one answer, those of every answer included.
pub(super) fn carried(own: &[&str], is_limited: bool) -> Map<String, Value> {
    let limits: &[&str] = if is_limited { &LIMITS } else { &[] };
    let names = own.iter().chain(limits).chain(&OF_ALL);
    names.map(|name| (field(name).to_owned(), reference("headers", name))).collect()
}

/// The name of the header field that a component describes.
fn field(component: &str) -> &str {
    match component {
        SERVICE_LINK => "Link",
        RETRY_SOON | RETRY_AFTER_TROUBLE => "Retry-After",
        _ => component,
    }
}
