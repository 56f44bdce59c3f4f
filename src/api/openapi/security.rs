//! How an access key is presented, and where one is asked for.

use serde_json::{Map, Value, json};

use crate::catalog::collection::Admission;
use crate::catalog::name::key_parameters;

/// Every way to present an access key.
pub(super) fn schemes(access_parameter: &str) -> Map<String, Value> {
    let mut schemes = Map::new();
    schemes.insert(
        "Bearer".into(),
        json!({
            "type": "http",
            "scheme": "bearer",
            "description": "The access key. Read only where no query parameter carries one.",
        }),
    );
    schemes.insert(
        "Header".into(),
        json!({
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "The access key. Read only where no query parameter carries one.",
        }),
    );
    for parameter in key_parameters(access_parameter) {
        schemes.insert(
            query_scheme(parameter),
            json!({
                "type": "apiKey",
                "in": "query",
                "name": parameter,
                "description": "The access key. A header is the better place: URLs end up in logs.",
            }),
        );
    }
    schemes
}

/// Who may call an operation: the alternatives, of which one suffices.
pub(super) fn requirement(admission: Admission, access_parameter: &str) -> Vec<Value> {
    if admission == Admission::Open {
        return Vec::new();
    }
    let queries = key_parameters(access_parameter).into_iter().map(query_scheme);
    let schemes = ["Bearer".to_owned(), "Header".to_owned()].into_iter().chain(queries);
    let mut alternatives: Vec<Value> = schemes.map(|scheme| json!({ scheme: [] })).collect();
    if admission == Admission::Identified {
        alternatives.push(json!({}));
    }
    alternatives
}

fn query_scheme(parameter: &str) -> String {
    format!("Query-{parameter}")
}
