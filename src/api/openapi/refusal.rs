//! Refusals: every way to say no, with its status, its header fields and its body in both forms.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::header;
use crate::api::content::PROBLEM_JSON;

/// What the same answer looks like here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// HEAD is answered without one.
    pub has_body: bool,
    /// Whether the collection counts requests.
    pub is_limited: bool,
}

/// The statuses that any request may meet. 431 is not among them: in HTTP/2 it has no body, and would take from every
/// generated client the certainty that an error has words. The description of the whole document tells of it.
pub(super) const OF_ANY: [u16; 6] = [400, 403, 408, 414, 500, 503];
/// The statuses that a write may meet besides.
pub(super) const OF_WRITES: [u16; 3] = [409, 422, 507];
/// The statuses that a request with a body may meet besides.
pub(super) const OF_BODIES: [u16; 2] = [413, 415];

struct Refusal {
    status: u16,
    name: &'static str,
    description: &'static str,
    headers: &'static [&'static str],
    /// It is given before anybody asked who is calling, or to somebody unknown: nothing was counted.
    is_uncounted: bool,
    example: Option<&'static str>,
}

impl Refusal {
    const fn new(status: u16, name: &'static str, description: &'static str) -> Self {
        Self { status, name, description, headers: &[], is_uncounted: false, example: None }
    }
}

/// Says of a refusal, too, that it was given before.
const REPLAYED: &str = "Idempotency-Replayed";

const REFUSALS: [Refusal; 16] = [
    Refusal {
        headers: &[REPLAYED],
        ..Refusal::new(
            400,
            "BadRequest",
            "The request does not validate; `error` says which field or parameter, and why.",
        )
    },
    Refusal {
        headers: &["WWW-Authenticate"],
        is_uncounted: true,
        ..Refusal::new(
            401,
            "Unauthorized",
            "No access key, or not a known one; `error` says how to present it.",
        )
    },
    Refusal::new(
        403,
        "Forbidden",
        "The access key is known, and may not do this; or a web page of another origin asks, which may not. `error` says \
         which scope is missing, or how to change it.",
    ),
    Refusal {
        headers: &["Connection", REPLAYED],
        example: Some("<p>The requested URL was not found on this server.</p>"),
        ..Refusal::new(404, "NotFound", "There is nothing here.")
    },
    Refusal {
        headers: &["Allow"],
        ..Refusal::new(
            405,
            "MethodNotAllowed",
            "The method is not allowed here; `Allow` lists those that are.",
        )
    },
    Refusal::new(408, "RequestTimeout", "The request did not arrive in time."),
    Refusal {
        headers: &[header::RETRY_SOON, REPLAYED],
        ..Refusal::new(
            409,
            "Conflict",
            "Another record still refers to this one, a name is in use, a key has expired, the database has a rule of its own, or a \
             request with the same `Idempotency-Key` is still under way, or was done and cannot be answered again; `error` says which.",
        )
    },
    Refusal {
        headers: &[REPLAYED],
        ..Refusal::new(
            412,
            "PreconditionFailed",
            "The stored record is none of those that `If-Match` names, or one of those that `If-None-Match` names. Nothing was done.",
        )
    },
    Refusal::new(413, "ContentTooLarge", "The body is longer than the server takes."),
    Refusal {
        is_uncounted: true,
        ..Refusal::new(414, "UriTooLong", "The URL is longer than the server takes.")
    },
    Refusal {
        headers: &["Accept-Encoding"],
        ..Refusal::new(
            415,
            "UnsupportedMediaType",
            "The body is neither `application/json` nor `application/*+json`, not in UTF-8, or compressed.",
        )
    },
    Refusal::new(422, "UnprocessableContent", "The `Idempotency-Key` was used for another request."),
    Refusal {
        headers: &["Retry-After"],
        ..Refusal::new(
            429,
            "TooManyRequests",
            "The access key has used up its requests for now, or too many unknown ones came from this address.",
        )
    },
    Refusal::new(500, "InternalError", "The server failed; its log says why."),
    Refusal {
        headers: &[header::SOON],
        ..Refusal::new(503, "Unavailable", "The server cannot answer for now. Try again.")
    },
    Refusal::new(507, "InsufficientStorage", "There is no room left to store this."),
];

/// The error body, the one shape of every refusal where nobody asks for another.
pub(super) fn error() -> Value {
    json!({
        "type": "object",
        "description": "Why a request was refused.",
        "properties": { "error": { "type": "string" } },
        "required": ["error"],
        "additionalProperties": false,
    })
}

/// The refusals of these statuses, as members of `responses`, in ascending order.
pub(super) fn refusals(statuses: &[u16], form: Form) -> Map<String, Value> {
    let given = REFUSALS.iter().filter(|refusal| statuses.contains(&refusal.status));
    given.map(|refusal| (refusal.status.to_string(), refer(refusal, form))).collect()
}

/// What any method that is not described is answered with.
pub(super) fn method_not_allowed() -> Value {
    reference("responses", "MethodNotAllowed")
}

/// Every refusal in every form.
pub(super) fn components() -> Map<String, Value> {
    let mut components = Map::new();
    for refusal in &REFUSALS {
        for (has_body, is_limited) in [(true, false), (false, false), (true, true), (false, true)] {
            let form = Form { has_body, is_limited };
            components.insert(component_name(refusal, form), component(refusal, form));
        }
    }
    components
}

fn refer(refusal: &Refusal, form: Form) -> Value {
    reference("responses", &component_name(refusal, form))
}

fn component_name(refusal: &Refusal, form: Form) -> String {
    let limited = if form.is_limited && !refusal.is_uncounted { "-limited" } else { "" };
    let head = if form.has_body { "" } else { "-head" };
    format!("{}{limited}{head}", refusal.name)
}

fn component(refusal: &Refusal, form: Form) -> Value {
    let mut answer = json!({ "description": refusal.description });
    let is_limited = form.is_limited && !refusal.is_uncounted;
    answer["headers"] = header::carried(refusal.headers, is_limited).into();
    if form.has_body {
        let mut content = json!({ "schema": reference("schemas", "Error") });
        if let Some(message) = refusal.example {
            content["example"] = json!({ "error": message });
        }
        let problem = json!({ "schema": reference("schemas", "Problem") });
        answer["content"] = json!({ "application/json": content, (PROBLEM_JSON): problem });
    }
    answer
}
