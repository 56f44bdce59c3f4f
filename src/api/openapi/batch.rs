//! The path of batches: a schema for each kind of item and collection.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::operation::{Operation, Place, Success, path_item};
use super::{body, header, refusal, security};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::record::draft::batch::{MOST_ITEMS, REQUESTS, VERBS};

/// Their tag. No collection begins with a capital letter.
pub(super) const TAG: &str = "Batches";
pub(super) const ABOUT: &str =
    "Several writes in one request, to any collections, done wholly or not at all.";

const DESCRIPTION: &str = "\
Items are done one after the other, each on top of those before it; where one is refused nothing is stored, and the \
error begins with its number: `item 2: address does not validate`. `$n` in a reference or a path stands for the record \
of item n, from 0, which must be an earlier one that creates a record or finds it by a unique rule.

Every item needs the rights to its own collection, and counts there as one request.";

/// What a path names that may be the record of an earlier item.
const RECORD: &str = r"([1-9][0-9]*|\$(0|[1-9][0-9]*))";

/// The path of batches; none where nothing can be written.
pub(super) fn path(catalog: &Catalog, access_parameter: &str) -> Option<(String, Value)> {
    items(catalog).first()?;
    let strictest = catalog.collections().iter().map(Collection::admission).max();
    let is_limited = catalog.collections().iter().any(|collection| collection.rate_limit().is_some());
    let mut refusals = [&refusal::OF_ANY[..], &refusal::OF_BODIES, &refusal::OF_WRITES, &[404, 412]].concat();
    if strictest == Some(Admission::KnownOnly) {
        refusals.push(401);
    }
    if strictest != Some(Admission::Open) {
        refusals.push(429);
    }
    let mut headers_of_405 = header::carried(&[], is_limited);
    // Every other method is refused with it; an item that asks for another says nothing of this path.
    let allow = json!({
        "description": "The methods that are allowed here; not where an item is refused.",
        "schema": { "type": "string" },
    });
    headers_of_405.insert("Allow".into(), allow);
    let operation = Operation {
        method: "post",
        id: "write-batch".into(),
        summary: "Do several writes at once".into(),
        description: DESCRIPTION.into(),
        parameters: ["Prefer", "Idempotency-Key"].map(|name| reference("parameters", name)).to_vec(),
        request_body: Some(json!({
            "required": true,
            "content": { "application/json": { "schema": reference("schemas", "Batch") } },
        })),
        success: Success {
            status: "200",
            description: "All items were done. There is a result for each, in their order.".into(),
            headers: vec!["Preference-Applied", "Idempotency-Replayed"],
            content: Some(json!({ "application/json": { "schema": reference("schemas", "BatchResults") } })),
        },
        asides: [("405".to_owned(), refusal::of_item(405, headers_of_405))].into_iter().collect(),
        refusals,
        security: security::requirement(catalog.admission(), access_parameter),
        is_limited,
    };
    let place = Place { name: "batch", tag: TAG, parameters: Vec::new(), may_be_unknown: false };
    Some(("/_/batch/".into(), path_item(&place, vec![operation])))
}

/// The body, its items, and what is answered.
pub(super) fn components(catalog: &Catalog) -> Map<String, Value> {
    let items = items(catalog);
    let records = catalog.collections().iter().map(|collection| body::of(collection, "record"));
    let result = json!({
        "type": "object",
        "properties": {
            "status": { "type": "integer", "enum": [200, 201] },
            "ressource_uri": { "type": "string", "description": "Where the record is; not after a delete." },
            "record": {
                "description": "The record, where a representation was preferred.",
                "anyOf": records.collect::<Vec<_>>(),
            },
        },
        "required": ["status"],
        "additionalProperties": false,
    });
    let names: Vec<Value> = items.iter().map(|(name, _)| reference("schemas", name)).collect();
    let mut components: Map<String, Value> = items.into_iter().collect();
    components.insert(
        "Batch".into(),
        closed(json!({
            (REQUESTS): { "type": "array", "minItems": 1, "maxItems": MOST_ITEMS, "items": { "anyOf": names } },
        })),
    );
    components.insert(
        "BatchResults".into(),
        closed(
            json!({ "results": { "type": "array", "minItems": 1, "maxItems": MOST_ITEMS, "items": result } }),
        ),
    );
    components
}

/// Each kind of item by the name of its component.
fn items(catalog: &Catalog) -> Vec<(String, Value)> {
    let mut items = Vec::new();
    for collection in catalog.collections() {
        let name = collection.name();
        let list =
            json!({ "type": "string", "pattern": format!("^/{name}/?$"), "examples": [format!("/{name}/")] });
        let record = json!({
            "type": "string",
            "pattern": format!("^/{name}/{RECORD}/?$"),
            "examples": [format!("/{name}/1/")],
        });
        for verb in VERBS {
            let method = json!({ "type": "string", "const": verb.name() });
            if collection.list_verbs().contains(&verb) {
                let mut members = json!({ "method": method, "path": list, "body": body::of(collection, "create-in-batch") });
                let mut kind = "create";
                if verb == Verb::Put {
                    kind = "upsert";
                    members["by"] = by(collection);
                    guard(&mut members);
                }
                items.push((format!("{name}-item-{kind}"), item(members, verb)));
            }
            if collection.unique_verbs().contains(&verb) {
                let mut members = json!({ "method": method, "path": record });
                if verb != Verb::Delete {
                    members["body"] = body::of(collection, "update-in-batch");
                }
                guard(&mut members);
                items.push((format!("{name}-item-{}", verb.name().to_lowercase()), item(members, verb)));
            }
        }
    }
    items
}

/// By which unique rule an upsert finds its record.
pub(super) fn by(collection: &Collection) -> Value {
    let rules = collection.unique().iter().map(|rule| collection.rule_name(rule));
    json!({
        "type": "string",
        "description": "The unique rule by which the record is found; the first where it is left out.",
        "enum": rules.collect::<Vec<_>>(),
    })
}

/// What the client has seen of the record.
fn guard(members: &mut Value) {
    for (member, header) in [("if_match", "If-Match"), ("if_none_match", "If-None-Match")] {
        members[member] =
            json!({ "type": "string", "description": format!("As the header field `{header}`.") });
    }
}

fn item(members: Value, verb: Verb) -> Value {
    let mut item = closed(members);
    let required: &[&str] =
        if verb == Verb::Delete { &["method", "path"] } else { &["method", "path", "body"] };
    item["required"] = json!(required);
    item
}

/// An object that has exactly these members.
fn closed(members: Value) -> Value {
    let names: Vec<String> =
        members.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect();
    json!({ "type": "object", "properties": members, "required": names, "additionalProperties": false })
}
