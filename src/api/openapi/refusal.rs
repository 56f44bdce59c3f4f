//! Refusals: every way to say no, with its status, its header fields and its body in both forms.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::header;
use crate::api::content::PROBLEM_JSON;
use crate::api::error::ApiError;
use crate::api::error::status::{Kind, STATUSES, Status};

/// What the same answer looks like here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// HEAD is answered without one.
    pub has_body: bool,
    /// Whether the collection counts requests.
    pub is_limited: bool,
}

/// The statuses that any request may meet, but for 431, which is not described.
pub(super) const OF_ANY: [u16; 6] = [400, 403, 408, 414, 500, 503];
/// The statuses that a write may meet besides.
pub(super) const OF_WRITES: [u16; 3] = [409, 422, 507];
/// The statuses that a request with a body may meet besides.
pub(super) const OF_BODIES: [u16; 2] = [413, 415];

/// The refusals of these statuses, as members of `responses`, in ascending order.
pub(super) fn refusals(statuses: &[u16], form: Form) -> Map<String, Value> {
    let given = STATUSES.iter().filter(|status| statuses.contains(&status.code()));
    let refer = |status| reference("responses", &component_name(status, form));
    given.map(|status| (status.code().to_string(), refer(status))).collect()
}

/// What any method that is not described is answered with.
pub(super) fn method_not_allowed() -> Value {
    reference("responses", "MethodNotAllowed")
}

/// Every refusal in every form.
pub(super) fn components() -> Map<String, Value> {
    let mut components = Map::new();
    for status in &STATUSES {
        for (has_body, is_limited) in [(true, false), (false, false), (true, true), (false, true)] {
            let form = Form { has_body, is_limited };
            components.insert(component_name(status, form), component(status, form));
        }
    }
    components
}

fn component_name(status: &Status, form: Form) -> String {
    let limited = if form.is_limited && !status.is_uncounted() { "-limited" } else { "" };
    let head = if form.has_body { "" } else { "-head" };
    format!("{}{limited}{head}", status.name)
}

fn component(status: &Status, form: Form) -> Value {
    let is_limited = form.is_limited && !status.is_uncounted();
    let headers = header::carried(status.headers, is_limited);
    let mut answer = json!({ "description": status.description, "headers": headers });
    if form.has_body {
        let mut content = json!({ "schema": reference("schemas", "Error") });
        if status.code() == 404 {
            content["example"] = json!({ "error": ApiError::NotFound.row().message });
        }
        let problem = json!({ "schema": reference("schemas", "Problem") });
        answer["content"] = json!({ "application/json": content, (PROBLEM_JSON): problem });
    }
    answer
}

/// A refusal of this status that is said of an item of a batch: its header fields are those of the batch.
pub(super) fn of_item(status: u16, headers: Map<String, Value>) -> Value {
    let described = STATUSES.iter().find(|described| described.code() == status);
    let mut answer = described.map(|status| component(status, Form { has_body: true, is_limited: false }));
    if let Some(answer) = &mut answer {
        answer["headers"] = headers.into();
        answer["description"] =
            "An item asks for what its path does not allow; `error` lists what it does.".into();
    }
    answer.unwrap_or_default()
}

/// Every type of problem.
pub(super) fn kinds() -> impl Iterator<Item = &'static Kind> {
    STATUSES.iter().flat_map(|status| status.kinds)
}
