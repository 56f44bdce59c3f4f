//! An operation, and the path it stands on: HEAD follows from GET, OPTIONS from what is allowed.

use serde_json::{Map, Value, json};

use super::header;
use super::refusal::{self, Form};

/// One method of one path.
#[derive(Debug, Clone, Default)]
pub(super) struct Operation {
    /// `get`, `post`, …
    pub method: &'static str,
    pub id: String,
    pub summary: String,
    pub description: String,
    pub parameters: Vec<Value>,
    pub request_body: Option<Value>,
    pub success: Success,
    /// Answers by their status that are neither a grant nor a refusal.
    pub asides: Map<String, Value>,
    /// The statuses of its refusals, in any order.
    pub refusals: Vec<u16>,
    /// The ways to present an access key, of which one suffices; none where nobody is asked for one.
    pub security: Vec<Value>,
    /// Whether the collection counts requests.
    pub is_limited: bool,
}

/// The answer to a request that is granted.
#[derive(Debug, Clone, Default)]
pub(super) struct Success {
    pub status: &'static str,
    pub description: String,
    pub headers: Vec<&'static str>,
    pub content: Option<Value>,
}

/// Where operations stand.
pub(super) struct Place<'a> {
    /// Names the path in operation ids; no two places share it.
    pub name: &'a str,
    pub tag: &'a str,
    /// The parameters of the path itself.
    pub parameters: Vec<Value>,
    /// Whether some texts of this form are no path of the service.
    pub may_be_unknown: bool,
}

/// Everything that is described on one path.
pub(super) fn path_item(place: &Place<'_>, operations: Vec<Operation>) -> Value {
    let mut item = Map::new();
    if !place.parameters.is_empty() {
        item.insert("parameters".into(), place.parameters.clone().into());
    }
    let mut allowed = Vec::new();
    for operation in operations {
        let head = (operation.method == "get").then(|| head(place, &operation));
        for operation in [Some(operation), head].into_iter().flatten() {
            allowed.push(operation.method.to_uppercase());
            item.insert(operation.method.into(), describe(place, operation));
        }
    }
    allowed.push("OPTIONS".into());
    let mut options = describe(place, options(place));
    // Which methods they are is known here; the shared description of the field cannot say it.
    options["responses"]["204"]["headers"]["Allow"] = json!({
        "description": "The methods that are allowed here, in any order.",
        "required": true,
        "schema": { "type": "string", "examples": [allowed.join(", ")] },
    });
    item.insert("options".into(), options);
    // No operation is answered with 405: it is the answer to all that is not described.
    item.insert("x-other-methods".into(), refusal::method_not_allowed());
    item.into()
}

fn head(place: &Place<'_>, get: &Operation) -> Operation {
    Operation {
        method: "head",
        id: format!("head-{}", place.name),
        summary: format!("{}, without the body", get.summary),
        description: "Judged and answered exactly as GET, without the body.".into(),
        success: Success { content: None, ..get.success.clone() },
        ..get.clone()
    }
}

fn options(place: &Place<'_>) -> Operation {
    let mut refusals = refusal::OF_ANY.to_vec();
    if place.may_be_unknown {
        refusals.push(404);
    }
    Operation {
        method: "options",
        id: format!("options-{}", place.name),
        summary: "Say which methods are allowed".into(),
        description: "Answered without an access key.".into(),
        success: Success {
            status: "204",
            description: "The methods that are allowed here.".into(),
            headers: vec!["Allow"],
            ..Success::default()
        },
        refusals,
        ..Operation::default()
    }
}

fn describe(place: &Place<'_>, operation: Operation) -> Value {
    let success = operation.success;
    let mut granted = json!({
        "description": success.description,
        "headers": header::carried(&success.headers, operation.is_limited),
    });
    if let Some(content) = success.content {
        granted["content"] = content;
    }
    let form = Form { has_body: operation.method != "head", is_limited: operation.is_limited };
    let mut responses = Map::new();
    responses.insert(success.status.into(), granted);
    responses.extend(operation.asides);
    responses.extend(refusal::refusals(&operation.refusals, form));

    let mut described = json!({
        "operationId": operation.id,
        "tags": [place.tag],
        "summary": operation.summary,
        "description": operation.description,
    });
    if !operation.parameters.is_empty() {
        described["parameters"] = operation.parameters.into();
    }
    if let Some(request_body) = operation.request_body {
        described["requestBody"] = request_body;
    }
    described["responses"] = responses.into();
    described["security"] = operation.security.into();
    described
}
