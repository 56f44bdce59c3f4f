//! The header fields of answers.

use serde_json::{Map, Value, json};

use super::component::reference;
use crate::api::error::status::{RETRY_AFTER_TROUBLE, RETRY_SOON};

/// A tag as an answer has it.
pub(super) const EXAMPLE_OF_TAG: &str = "\"7af48095701166d3ac10b58e81538507\"";
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

/// Every header field that an answer may carry.
pub(super) fn components() -> Value {
    json!({
        "Location": {
            "description": "The absolute URL of what is new.",
            "required": true,
            "schema": { "type": "string", "format": "uri" },
        },
        "Preference-Applied": {
            "description": "Present where the request preferred a representation and got it.",
            "schema": { "type": "string", "const": "return=representation" },
        },
        "Link": {
            "description": "The next and the previous page as absolute URLs, filters included (RFC 8288); \
                each only where there is one.",
            "schema": { "type": "string" },
        },
        SERVICE_LINK: {
            "description": "Where the service is described for programs (RFC 8631): here.",
            "required": true,
            "schema": { "type": "string", "const": "</openapi.json>; rel=\"service-desc\"" },
        },
        "ETag": {
            "description": "The content of the record in a few characters: the same for the same content, \
                another as soon as it changes (RFC 9110). For `If-None-Match` and `If-Match`.",
            "required": true,
            "schema": {
                "type": "string",
                "pattern": "^\"[0-9a-f]{32}(-gzip|-zstd)?\"$",
                "examples": [EXAMPLE_OF_TAG],
            },
        },
        "Allow": {
            "description": "The methods that are allowed here.",
            "required": true,
            "schema": { "type": "string" },
        },
        "WWW-Authenticate": {
            "description": "How to present an access key (RFC 9110).",
            "required": true,
            "schema": { "type": "string" },
        },
        "Retry-After": {
            "description": "In how many seconds the access key has requests again.",
            "required": true,
            "schema": { "type": "integer", "minimum": 0 },
        },
        RETRY_SOON: {
            "description": "In how many seconds to ask again. Only where a request with the same \
                `Idempotency-Key` is still under way.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "Idempotency-Replayed": {
            "description": "Present where this is the answer to an earlier request with the same \
                `Idempotency-Key`: nothing was done this time.",
            "schema": { "type": "string", "const": "true" },
        },
        RETRY_AFTER_TROUBLE: {
            "description": "In how many seconds it may be worth another try.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "RateLimit-Policy": {
            "description": "The limit: `q` requests in `w` seconds. Only in answers to a known access key.",
            "schema": { "type": "string" },
        },
        "RateLimit": {
            "description": "`r` requests are left for the next `t` seconds. Only in answers to a known \
                access key.",
            "schema": { "type": "string" },
        },
        "Connection": {
            "description": "The connection is closed after this answer. Only on HTTP/1.1.",
            "schema": { "type": "string", "const": "close" },
        },
        "Vary": {
            "description": "What else than the URL the answer depends on.",
            "schema": { "type": "string" },
        },
        "Accept-Encoding": {
            "description": "Where the body was compressed: that it must not be.",
            "schema": { "type": "string", "const": "identity" },
        },
        "Content-Encoding": {
            "description": "How the body is compressed; absent where it is not.",
            "schema": { "enum": ["gzip", "zstd"] },
        },
        "Content-Security-Policy": {
            "description": "An answer is data: nothing in it is to be run, shown or framed.",
            "schema": { "type": "string" },
        },
        "Cross-Origin-Resource-Policy": {
            "description": "Whether pages of other origins may use the answer: where `cors_origins` lists somebody.",
            "schema": { "enum": ["same-origin", "cross-origin"] },
        },
        "Referrer-Policy": {
            "description": "No URL of this service is told to others.",
            "schema": { "type": "string", "const": "no-referrer" },
        },
        "Strict-Transport-Security": {
            "description": "For how many seconds browsers are to come with TLS only, where the server is told to say so.",
            "schema": { "type": "string" },
        },
        "Cache-Control": {
            "description": "On collections and records: `private, no-cache`; `no-store` where the URL holds an \
                access key, where one is missing, and on everything about access keys. Otherwise absent.",
            "schema": { "enum": ["private, no-cache", "no-store"] },
        },
        "X-Content-Type-Options": {
            "description": "The body is of the type that the answer says.",
            "schema": { "type": "string", "const": "nosniff" },
        },
        "X-Request-Id": {
            "description": "The name of this request in the server's log.",
            "schema": { "type": "string" },
        },
    })
}
