//! The two paths of a collection: its list and its records.

use serde_json::{Map, Value, json};

use super::door::Door;
use super::operation::{Operation, Place, Success, path_item};
use super::{batch, body, component, control, header, parameter, refusal, security};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};

/// The list of a collection.
pub(super) fn list(catalog: &Catalog, collection: &Collection, access_parameter: &str) -> Value {
    let place = Place {
        name: &format!("{}-list", collection.name()),
        tag: collection.name(),
        parameters: Vec::new(),
        may_be_unknown: false,
    };
    let allowed = |verb: &Verb| collection.list_verbs().contains(verb);
    let verbs = Verb::OF_LISTS.into_iter().filter(allowed);
    let door = |verb| Door::of(catalog, collection, verb);
    let operations =
        verbs.map(|verb| operation(collection, access_parameter, (verb, Target::List), door(verb)));
    let mut item = path_item(&place, operations.collect());
    let wording = collection.wording();
    for (member, text) in [("summary", &wording.label), ("description", &wording.help)] {
        if let Some(text) = text {
            item[member] = text.as_str().into();
        }
    }
    item
}

/// The records of a collection.
pub(super) fn record(catalog: &Catalog, collection: &Collection, access_parameter: &str) -> Value {
    let place = Place {
        name: &format!("{}-record", collection.name()),
        tag: collection.name(),
        parameters: vec![component::reference("parameters", "RecordId")],
        may_be_unknown: true,
    };
    let allowed = |verb: &Verb| collection.unique_verbs().contains(verb);
    let verbs = Verb::OF_RECORDS.into_iter().filter(allowed);
    let door = |verb| Door::of(catalog, collection, verb);
    let operations =
        verbs.map(|verb| operation(collection, access_parameter, (verb, Target::Record), door(verb)));
    path_item(&place, operations.collect())
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    List,
    Record,
}

/// What follows from the collection is added to what is different from verb to verb.
fn operation(
    collection: &Collection,
    access_parameter: &str,
    (verb, target): (Verb, Target),
    door: Door,
) -> Operation {
    let particular = match (verb, target) {
        (Verb::Get, Target::List) => listing(collection, access_parameter, door),
        (Verb::Get, Target::Record) => fetch(collection),
        (Verb::Post, _) => create(collection),
        (Verb::Put, Target::List) => upsert(collection),
        (Verb::Put, Target::Record) => update(collection, "put", "update"),
        (Verb::Patch, _) => update(collection, "patch", "patch"),
        (Verb::Delete, _) => delete(collection),
    };
    Operation {
        asides: asides(verb, target, door),
        refusals: refusals(verb, target, door),
        security: security::requirement(door.admission, access_parameter),
        is_limited: door.is_limited,
        ..particular
    }
}

fn listing(collection: &Collection, access_parameter: &str, door: Door) -> Operation {
    let is_paged = collection.pagination().is_some();
    Operation {
        method: "get",
        id: format!("list-{}", collection.name()),
        summary: format!("List `{}`", collection.name()),
        description: "A record must match all filters. An unknown parameter, or one given twice, is refused."
            .into(),
        parameters: parameter::of_list(collection, access_parameter, door.admission),
        success: Success {
            status: "200",
            description: if is_paged { "A page of the list." } else { "The list." }.into(),
            headers: if is_paged { vec!["Link"] } else { Vec::new() },
            content: Some(json(body::of(collection, "envelope"))),
        },
        ..Operation::default()
    }
}

fn create(collection: &Collection) -> Operation {
    Operation {
        method: "post",
        id: format!("create-{}", collection.name()),
        summary: format!("Create a record of `{}`", collection.name()),
        description: "The answer has a body only where the request prefers a representation.".into(),
        parameters: named(&["Prefer", "Idempotency-Key"]),
        request_body: Some(required(json(body::of(collection, "create")))),
        success: Success {
            status: "201",
            description: "Created. The body is empty, or the record where a representation was preferred."
                .into(),
            headers: vec!["Location", "Preference-Applied", "Idempotency-Replayed"],
            // Without a schema: the empty body that most callers get would not meet one.
            content: Some(json!({
                "application/json": {
                    "examples": {
                        "representation": {
                            "summary": "With `Prefer: return=representation`",
                            "value": body::example_of_record(collection),
                        },
                    },
                },
            })),
        },
        ..Operation::default()
    }
}

fn upsert(collection: &Collection) -> Operation {
    let mut parameters = vec![json!({ "name": "by", "in": "query", "schema": batch::by(collection) })];
    parameters.extend(named(&["If-Match", "Prefer", "Idempotency-Key"]));
    parameters.push(json!({
        "name": "If-None-Match",
        "in": "header",
        "description": "`*`: only create. Where there is such a record nothing is changed, and the answer is 412.",
        "schema": { "type": "string", "examples": ["*"] },
    }));
    Operation {
        method: "put",
        id: format!("upsert-{}", collection.name()),
        summary: format!("Change or create a record of `{}`", collection.name()),
        description:
            "The record with the same values in a unique rule gets the fields that are given; where there is \
            none it is created. With `If-Match` a record is only changed."
                .into(),
        parameters,
        request_body: Some(required(json(body::of(collection, "create")))),
        success: whole_record(
            collection,
            "The complete record after the change.",
            vec!["ETag", "Idempotency-Replayed"],
        ),
        ..Operation::default()
    }
}

fn fetch(collection: &Collection) -> Operation {
    Operation {
        method: "get",
        id: format!("fetch-{}", collection.name()),
        summary: format!("Fetch a record of `{}`", collection.name()),
        description:
            "One record by its id. A client that names the one it has is told whether it is still the same."
                .into(),
        parameters: named(&["If-None-Match"]).into_iter().chain(control::of_fetch(collection)).collect(),
        success: whole_record(collection, "The record.", vec!["ETag"]),
        ..Operation::default()
    }
}

fn update(collection: &Collection, method: &'static str, act: &'static str) -> Operation {
    let schema = body::of(collection, "update");
    let mut content = json(schema.clone());
    if method == "patch" {
        content["application/merge-patch+json"] = json!({ "schema": schema });
    }
    Operation {
        method,
        id: format!("{act}-{}", collection.name()),
        summary: format!("Update a record of `{}`", collection.name()),
        description: "Changes the fields that are given; the others keep their value. With `If-Match`, only \
            a record that the client has seen."
            .into(),
        parameters: named(&["If-Match", "Idempotency-Key"]),
        request_body: Some(required(content)),
        success: whole_record(
            collection,
            "The complete record after the change.",
            vec!["ETag", "Idempotency-Replayed"],
        ),
        ..Operation::default()
    }
}

fn delete(collection: &Collection) -> Operation {
    Operation {
        method: "delete",
        id: format!("delete-{}", collection.name()),
        summary: format!("Delete a record of `{}`", collection.name()),
        description: "Its id is never used again. With `If-Match`, only a record that the client has seen."
            .into(),
        parameters: named(&["If-Match", "Idempotency-Key"]),
        success: Success {
            status: "200",
            description: "Deleted. The body is empty.".into(),
            headers: vec!["Idempotency-Replayed"],
            ..Success::default()
        },
        ..Operation::default()
    }
}

fn named(parameters: &[&str]) -> Vec<Value> {
    parameters.iter().map(|name| component::reference("parameters", name)).collect()
}

fn whole_record(collection: &Collection, description: &str, headers: Vec<&'static str>) -> Success {
    Success {
        status: "200",
        description: description.into(),
        headers,
        content: Some(json(body::of(collection, "record"))),
    }
}

/// A client that has the record already is told so instead.
fn asides(verb: Verb, target: Target, door: Door) -> Map<String, Value> {
    let mut asides = Map::new();
    if verb == Verb::Put && target == Target::List {
        let created = json!({
            "description": "Created. The body is empty, or the record where a representation was preferred.",
            "headers": header::carried(&["Location", "Preference-Applied", "Idempotency-Replayed"], door.is_limited),
            "content": { "application/json": {} },
        });
        asides.insert("201".into(), created);
    }
    if verb == Verb::Get && target == Target::Record {
        let not_modified = json!({
            "description": "The record is one of those that `If-None-Match` names: the client has it already.",
            "headers": header::carried(&["ETag"], door.is_limited),
        });
        asides.insert("304".into(), not_modified);
    }
    asides
}

fn refusals(verb: Verb, target: Target, door: Door) -> Vec<u16> {
    let mut statuses = refusal::OF_ANY.to_vec();
    if door.strictest == Admission::KnownOnly {
        statuses.push(401);
    }
    if door.strictest != Admission::Open {
        statuses.push(429);
    }
    if target == Target::Record {
        statuses.push(404);
    }
    if matches!(verb, Verb::Post | Verb::Put | Verb::Patch) {
        statuses.extend(refusal::OF_BODIES);
    }
    if verb != Verb::Get {
        statuses.extend(refusal::OF_WRITES);
    }
    if (target == Target::Record || verb == Verb::Put) && verb != Verb::Get {
        statuses.push(412);
    }
    statuses
}

fn json(schema: Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

fn required(content: Value) -> Value {
    json!({
        "description": "Sent without a `Content-Type`, as `application/json` or as `application/*+json`, in UTF-8.",
        "required": true,
        "content": content,
    })
}
