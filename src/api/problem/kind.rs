//! The types of problems: what a program can tell apart without reading words.

use crate::api::error::ApiError;
use crate::http::StatusCode;
use crate::store::StoreError;

/// Where a type is described: a JSON pointer into the OpenAPI document, which lists all of them.
const DESCRIBED_AT: &str = "/openapi.json#/x-problems/";

/// A type of problem.
pub(in crate::api) struct Kind {
    pub(in crate::api) name: &'static str,
    pub(in crate::api) status: u16,
    pub(in crate::api) description: &'static str,
}

impl Kind {
    /// The type as `type` has it.
    pub(in crate::api) fn reference(&self) -> String {
        [DESCRIBED_AT, self.name].concat()
    }
}

const fn kind(name: &'static str, status: u16, description: &'static str) -> Kind {
    Kind { name, status, description }
}

/// Every type. The first of a status stands for all that have none of their own.
pub(in crate::api) const KINDS: [Kind; 27] = [
    kind("invalid-request", 400, "The request cannot be understood."),
    kind(
        "invalid-body",
        400,
        "The body is not JSON, or its members are not what the fields take. All faults are in `errors`.",
    ),
    kind(
        "invalid-query",
        400,
        "The query cannot be read, or its parameters are not what the list takes. All faults are in `errors`.",
    ),
    kind("unknown-reference", 400, "A field refers to a record that does not exist."),
    kind("not-unique", 400, "Another record has the same values in fields that must be unique."),
    kind("unauthorized", 401, "A known access key is needed."),
    kind("forbidden", 403, "The access key may not do this."),
    kind("page-refused", 403, "A browser asks for a web page that may not do this."),
    kind("not-found", 404, "There is nothing at this path."),
    kind("method-not-allowed", 405, "The path has other methods; `Allow` lists them."),
    kind("timeout", 408, "The request did not arrive in time."),
    kind("conflict", 409, "The request contradicts what is stored."),
    kind("still-referenced", 409, "Other records refer to this one."),
    kind("undeclared-rule", 409, "The database has a rule that the configuration does not declare."),
    kind("request-in-progress", 409, "A request with the same `Idempotency-Key` is being answered."),
    kind("answer-not-kept", 409, "The request was done before, and its answer cannot be repeated."),
    kind(
        "precondition-failed",
        412,
        "The record is not the one that `If-Match` or `If-None-Match` asks for.",
    ),
    kind("body-too-large", 413, "The body is longer than the server takes."),
    kind("url-too-long", 414, "The URL is longer than the server takes."),
    kind("unsupported-body", 415, "The body is not JSON in UTF-8, or it is compressed."),
    kind("idempotency-key-reused", 422, "The `Idempotency-Key` was used for another request."),
    kind("rate-limited", 429, "Too many requests; `Retry-After` says when to come back."),
    kind("internal-error", 500, "The server failed; its log says why."),
    kind("unavailable", 503, "The server cannot answer for now. Nothing was changed."),
    kind("outcome-unknown", 503, "The storage failed. Whether the change was stored is unknown."),
    kind("storage-full", 507, "There is no space left. Nothing was changed."),
    kind("ids-used-up", 507, "The collection has used up its ids."),
];

/// The type of an error, as a reference to its description.
pub(super) fn reference(error: &ApiError, status: StatusCode) -> String {
    let own = own_name(error);
    let mut of_status = KINDS.iter().filter(|kind| kind.status == status.as_u16());
    let kind = of_status.find(|kind| own.is_none_or(|own| own == kind.name));
    // Without a type there is nothing more to know than the status (RFC 9457).
    kind.map_or_else(|| "about:blank".into(), Kind::reference)
}

/// The type of an error whose status has several.
fn own_name(error: &ApiError) -> Option<&'static str> {
    Some(match error {
        ApiError::Draft { .. } => "invalid-body",
        ApiError::Query(_) | ApiError::Listing { .. } => "invalid-query",
        ApiError::OtherOrigin | ApiError::UntrustedHost => "page-refused",
        ApiError::Store(error) => match error {
            StoreError::DanglingReference(_) => "unknown-reference",
            StoreError::Duplicate(_) => "not-unique",
            StoreError::StillReferenced(_) => "still-referenced",
            StoreError::UndeclaredRule(_) => "undeclared-rule",
            StoreError::InFlight => "request-in-progress",
            StoreError::AnswerNotKept => "answer-not-kept",
            StoreError::OutcomeUnknown => "outcome-unknown",
            StoreError::NoIdLeft => "ids-used-up",
            _ => return None,
        },
        _ => return None,
    })
}
