//! Every status of an error: the types of problems that have it, which a program can tell apart without reading words,
//! and what the OpenAPI document says about it.

/// Where a type is described: a JSON pointer into the OpenAPI document, which lists all of them.
const DESCRIBED_AT: &str = "/openapi.json#/x-problems/";

/// A type of problem.
#[derive(Debug, Clone, Copy)]
pub(in crate::api) struct Kind {
    pub(in crate::api) status: u16,
    pub(in crate::api) name: &'static str,
    pub(in crate::api) description: &'static str,
}

const fn kind(status: u16, name: &'static str, description: &'static str) -> Kind {
    Kind { status, name, description }
}

impl Kind {
    /// The type as `type` has it. Without a name there is nothing more to know than the status (RFC 9457).
    pub(in crate::api) fn reference(&self) -> String {
        if self.name.is_empty() { "about:blank".into() } else { [DESCRIBED_AT, self.name].concat() }
    }
}

pub(super) const INVALID_REQUEST: Kind = kind(400, "invalid-request", "The request cannot be understood.");
pub(super) const INVALID_BODY: Kind = kind(
    400,
    "invalid-body",
    "The body is not JSON, or its members are not what the fields take. `errors` says where.",
);
pub(super) const INVALID_QUERY: Kind = kind(
    400,
    "invalid-query",
    "The query cannot be read, or its parameters are not what the list takes. `errors` says where.",
);
pub(super) const UNKNOWN_REFERENCE: Kind =
    kind(400, "unknown-reference", "A field refers to a record that does not exist.");
pub(super) const NOT_UNIQUE: Kind =
    kind(400, "not-unique", "Another record has the same values in fields that must be unique.");
pub(super) const UNAUTHORIZED: Kind = kind(401, "unauthorized", "A known access key is needed.");
pub(super) const FORBIDDEN: Kind = kind(403, "forbidden", "The access key may not do this.");
pub(super) const PAGE_REFUSED: Kind =
    kind(403, "page-refused", "A browser asks for a web page that may not do this.");
pub(super) const NOT_FOUND: Kind = kind(404, "not-found", "There is nothing at this path.");
pub(super) const METHOD_NOT_ALLOWED: Kind =
    kind(405, "method-not-allowed", "The path has other methods; `Allow` lists them.");
pub(super) const TIMEOUT: Kind = kind(408, "timeout", "The request did not arrive in time.");
pub(super) const CONFLICT: Kind = kind(409, "conflict", "The request contradicts what is stored.");
pub(super) const STILL_REFERENCED: Kind = kind(409, "still-referenced", "Other records refer to this one.");
pub(super) const UNDECLARED_RULE: Kind =
    kind(409, "undeclared-rule", "The database has a rule that the configuration does not declare.");
pub(super) const REQUEST_IN_PROGRESS: Kind =
    kind(409, "request-in-progress", "A request with the same `Idempotency-Key` is being answered.");
pub(super) const ANSWER_NOT_KEPT: Kind =
    kind(409, "answer-not-kept", "The request was done before, and its answer cannot be repeated.");
pub(super) const PRECONDITION_FAILED: Kind = kind(
    412,
    "precondition-failed",
    "The record is not the one that `If-Match` or `If-None-Match` asks for.",
);
pub(super) const BODY_TOO_LARGE: Kind =
    kind(413, "body-too-large", "The body is longer than the server takes.");
pub(super) const ANSWER_TOO_LARGE: Kind =
    kind(413, "answer-too-large", "The records that the answer would show are larger than the server sends.");
pub(super) const URL_TOO_LONG: Kind = kind(414, "url-too-long", "The URL is longer than the server takes.");
pub(super) const UNSUPPORTED_BODY: Kind = kind(
    415,
    "unsupported-body",
    "The body is not JSON in UTF-8, or for an import no file that it takes; or it is compressed.",
);
pub(super) const IDEMPOTENCY_KEY_REUSED: Kind =
    kind(422, "idempotency-key-reused", "The `Idempotency-Key` was used for another request.");
pub(super) const RATE_LIMITED: Kind =
    kind(429, "rate-limited", "Too many requests; `Retry-After` says when to come back.");
/// Not described: in HTTP/2 it has no body, and would take from every generated client the certainty that an error has
/// a message. The description of the whole document tells of it.
pub(super) const HEAD_TOO_LARGE: Kind = kind(431, "", "");
pub(super) const INTERNAL_ERROR: Kind = kind(500, "internal-error", "The server failed; its log says why.");
pub(super) const UNAVAILABLE: Kind =
    kind(503, "unavailable", "The server cannot answer for now. Nothing was changed.");
pub(super) const OUTCOME_UNKNOWN: Kind =
    kind(503, "outcome-unknown", "The storage failed. Whether the change was stored is unknown.");
pub(super) const STORAGE_FULL: Kind =
    kind(507, "storage-full", "There is no space left. Nothing was changed.");
pub(super) const IDS_USED_UP: Kind = kind(507, "ids-used-up", "The collection has used up its ids.");

/// A status as the OpenAPI document describes it.
pub(in crate::api) struct Status {
    /// The name of its component.
    pub(in crate::api) name: &'static str,
    pub(in crate::api) description: &'static str,
    /// The components of the header fields that such an answer may have besides those of every answer.
    pub(in crate::api) headers: &'static [&'static str],
    pub(in crate::api) kinds: &'static [Kind],
}

const fn status(
    name: &'static str,
    headers: &'static [&'static str],
    kinds: &'static [Kind],
    description: &'static str,
) -> Status {
    Status { name, description, headers, kinds }
}

impl Status {
    pub(in crate::api) fn code(&self) -> u16 {
        self.kinds[0].status
    }

    /// Whether it is given before anybody asked who is calling, or to somebody unknown: nothing was counted.
    pub(in crate::api) fn is_uncounted(&self) -> bool {
        matches!(self.code(), 401 | 414)
    }
}

/// Says of a refusal, too, that it was given before.
const REPLAYED: &str = "Idempotency-Replayed";
/// What `Retry-After` is where it is there for one of several reasons.
pub(in crate::api) const RETRY_SOON: &str = "Retry-Soon";
/// What `Retry-After` is where trouble may pass by itself.
pub(in crate::api) const RETRY_AFTER_TROUBLE: &str = "Retry-After-Trouble";

/// Every status, in ascending order.
pub(in crate::api) const STATUSES: [Status; 16] = [
    status(
        "BadRequest",
        &[REPLAYED],
        &[INVALID_REQUEST, INVALID_BODY, INVALID_QUERY, UNKNOWN_REFERENCE, NOT_UNIQUE],
        "The request does not validate; `error` says which field or parameter, and why.",
    ),
    status(
        "Unauthorized",
        &["WWW-Authenticate"],
        &[UNAUTHORIZED],
        "No access key, or not a known one; `error` says how to present it.",
    ),
    status(
        "Forbidden",
        &[],
        &[FORBIDDEN, PAGE_REFUSED],
        "The access key is known, and may not do this; or a web page of another origin asks, which may \
         not. `error` says which scope is missing, or how to change it.",
    ),
    status("NotFound", &["Connection", REPLAYED], &[NOT_FOUND], "There is nothing here."),
    status(
        "MethodNotAllowed",
        &["Allow"],
        &[METHOD_NOT_ALLOWED],
        "The method is not allowed here; `Allow` lists those that are.",
    ),
    status("RequestTimeout", &[], &[TIMEOUT], "The request did not arrive in time."),
    status(
        "Conflict",
        &[RETRY_SOON, REPLAYED],
        &[CONFLICT, STILL_REFERENCED, UNDECLARED_RULE, REQUEST_IN_PROGRESS, ANSWER_NOT_KEPT],
        "Another record still refers to this one, a name is in use, a key has expired, an import is under way, \
         the database has a rule of its own, or a request with the same `Idempotency-Key` is still under way, or was \
         done and cannot be answered again; `error` says which.",
    ),
    status(
        "PreconditionFailed",
        &[REPLAYED],
        &[PRECONDITION_FAILED],
        "The stored record is none of those that `If-Match` names, or one of those that `If-None-Match` \
         names. Nothing was done.",
    ),
    status(
        "ContentTooLarge",
        &[],
        &[BODY_TOO_LARGE, ANSWER_TOO_LARGE],
        "The body is longer than the server takes; or the records that a batch asks for are larger than it sends.",
    ),
    status("UriTooLong", &[], &[URL_TOO_LONG], "The URL is longer than the server takes."),
    status(
        "UnsupportedMediaType",
        &["Accept-Encoding"],
        &[UNSUPPORTED_BODY],
        "The body is neither `application/json` nor `application/*+json`, not in UTF-8, or compressed; that of an \
         import is none of its formats.",
    ),
    status(
        "UnprocessableContent",
        &[],
        &[IDEMPOTENCY_KEY_REUSED],
        "The `Idempotency-Key` was used for another request.",
    ),
    status(
        "TooManyRequests",
        &["Retry-After"],
        &[RATE_LIMITED],
        "The access key has used up its requests for now, or too many unknown ones came from this \
         address.",
    ),
    status("InternalError", &[], &[INTERNAL_ERROR], "The server failed; its log says why."),
    status(
        "Unavailable",
        &[RETRY_AFTER_TROUBLE],
        &[UNAVAILABLE, OUTCOME_UNKNOWN],
        "The server cannot answer for now. Try again.",
    ),
    status("InsufficientStorage", &[], &[STORAGE_FULL, IDS_USED_UP], "There is no room left to store this."),
];
