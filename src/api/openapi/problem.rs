//! Problem details: the other form of every refusal, and the types that there are.

use serde_json::{Map, Value, json};

use crate::api::error::status::{Kind, STATUSES};
use crate::record::fault::{LONGEST_GIVEN, MOST_FAULTS};

/// What a client gets that asks for `application/problem+json`.
pub(super) fn schema() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let cut = format!(
        "What was given, as text: JSON as it was written, or the text of a parameter. Cut after {LONGEST_GIVEN} \
         characters, and absent where the name is wrong and not the value."
    );
    json!({
        "type": "object",
        "description": "Why a request was refused, and what would have been right (RFC 9457).",
        "properties": {
            "type": {
                "type": "string",
                "format": "uri-reference",
                "description": "The type of the problem: a reference into `x-problems` of this document.",
                "enum": all().map(Kind::reference).collect::<Vec<_>>(),
            },
            "title": text("The same words as `error` in `application/json`."),
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": text("What is wrong with this request, in plain words. Of several faults the first."),
            "errors": {
                "type": "array",
                "description": "All faults of a body or a query, in the order in which they are judged.",
                "minItems": 1,
                "maxItems": MOST_FAULTS,
                "items": {
                    "type": "object",
                    "properties": {
                        "pointer": text("Where in the body the fault is: a JSON pointer (RFC 6901)."),
                        "parameter": text("The parameter of the query that the fault is in."),
                        "detail": text("What is wrong."),
                        "value": text(&cut),
                        "accepted": text("What would be accepted."),
                        "suggestion": text("The name that was most likely meant."),
                    },
                    "required": ["detail"],
                    "oneOf": [{ "required": ["pointer"] }, { "required": ["parameter"] }],
                    "additionalProperties": false,
                },
            },
            "more_errors": {
                "type": "integer",
                "minimum": 1,
                "description": "How many faults there are besides those in `errors`.",
            },
        },
        "required": ["type", "title", "status", "detail"],
        "additionalProperties": false,
    })
}

/// Every type of problem by its name; `type` refers to it.
pub(super) fn kinds() -> Map<String, Value> {
    let described = |kind: &Kind| json!({ "status": kind.status, "description": kind.description });
    all().map(|kind| (kind.name.to_owned(), described(kind))).collect()
}

fn all() -> impl Iterator<Item = &'static Kind> {
    STATUSES.iter().flat_map(|status| status.kinds)
}
