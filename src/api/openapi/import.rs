//! The paths of imports: one for each collection that takes records, and that of their reports.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::door::Door;
use super::operation::{Operation, Place, Success, path_item};
use super::{header, refusal, security};
use crate::api::Settings;
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::transfer::format::Format;

/// Their tag. No collection begins with a capital letter.
pub(super) const TAG: &str = "Imports";
pub(super) const ABOUT: &str = "Files that become records.";

const DESCRIPTION: &str = "\
The whole file is judged first: one fault, and nothing is stored. An entry that means a record changes it, every other \
creates one; importing the same file again changes nothing. Judged as the create of the collection. One import into a \
collection at a time; a longer body than other requests may have is taken.";

pub(super) fn paths(catalog: &Catalog, settings: &Settings) -> Vec<(String, Value)> {
    let takes = |collection: &&Collection| collection.list_verbs().contains(&Verb::Post);
    let collections: Vec<&Collection> = catalog.collections().iter().filter(takes).collect();
    if settings.max_import == 0 || collections.is_empty() {
        return Vec::new();
    }
    let mut paths: Vec<(String, Value)> =
        collections.into_iter().map(|collection| import(catalog, collection, settings)).collect();
    paths.push(("/_/imports/{n}/".to_owned(), report(catalog, settings)));
    paths
}

fn import(catalog: &Catalog, collection: &Collection, settings: &Settings) -> (String, Value) {
    let name = collection.name();
    let door = Door::of(catalog, collection, Verb::Post);
    let mut refusals = [&refusal::OF_ANY[..], &refusal::OF_BODIES, &[409, 507]].concat();
    // Records of other collections may be created by it, too.
    if catalog.collections().iter().any(|collection| collection.admission() == Admission::KnownOnly) {
        refusals.push(401);
    }
    if door.strictest != Admission::Open {
        refusals.push(429);
    }
    let content: Map<String, Value> = Format::ALL
        .into_iter()
        .map(|format| (format.media_type().to_owned(), json!({ "schema": { "type": "string" } })))
        .collect();
    let headers = header::carried(&["Location"], door.is_limited);
    let accepted = json!({
        "description": "It goes on. `Location` says where to ask for it.",
        "headers": headers,
        "content": { "application/json": { "schema": reference("schemas", "Import") } },
    });
    let operation = Operation {
        method: "post",
        id: format!("import-{name}"),
        summary: format!("Import a file into `{name}`"),
        description: DESCRIPTION.into(),
        parameters: parameters(),
        request_body: Some(json!({ "required": true, "content": content })),
        success: Success {
            status: "200",
            description: "Everything is stored, or would be.".into(),
            content: Some(json!({ "application/json": { "schema": reference("schemas", "Import") } })),
            ..Success::default()
        },
        asides: [("202".to_owned(), accepted)].into_iter().collect(),
        refusals,
        security: security::requirement(door.admission, &settings.access_parameter),
        is_limited: door.is_limited,
    };
    let place = format!("{name}-import");
    let place = Place { name: &place, tag: TAG, parameters: Vec::new(), may_be_unknown: false };
    (format!("/_/import/{name}/"), path_item(&place, vec![operation]))
}

/// The options, as the command has them.
fn parameters() -> Vec<Value> {
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let switch = json!({ "type": "boolean", "default": false });
    let text = json!({ "type": "string" });
    let existing = json!({ "type": "string", "enum": ["update", "keep", "refuse"], "default": "update" });
    let options = [
        ("match", text.clone(), "Which record an entry means: `id`, `none`, or fields that are equal in it."),
        ("existing", existing, "What is done with a record that an entry means."),
        ("map", texts.clone(), "Which field a column is for: `Given name=first_name`, `Town=address.city`."),
        ("ignore", texts.clone(), "A column or property that is left out."),
        ("ignore_rest", switch.clone(), "Leave out everything that is no field."),
        ("fill", texts, "A value for entries that have none: `address.number=0`."),
        (
            "encoding",
            text.clone(),
            "What the text is, where it is not UTF-8: `windows-1252`, `utf-16le`, `utf-16be`.",
        ),
        ("delimiter", text, "What stands between cells: one character, or `tab`."),
        ("spreadsheet", switch.clone(), "Take off the `'` before formulas, take `TRUE` and `FALSE`."),
        ("dry_run", switch, "Say what would be done, and do nothing."),
    ];
    let mut parameters: Vec<Value> = options
        .into_iter()
        .map(|(name, schema, description)| {
            json!({ "name": name, "in": "query", "description": description, "schema": schema })
        })
        .collect();
    parameters.push(json!({
        "name": "Prefer",
        "in": "header",
        "description": "`wait=N`: answer 202 after so many seconds, 10 unless said, and go on.",
        "schema": { "type": "string", "examples": ["wait=30"] },
    }));
    parameters
}

fn report(catalog: &Catalog, settings: &Settings) -> Value {
    let mut refusals = [&refusal::OF_ANY[..], &[404]].concat();
    let strictest = catalog.collections().iter().map(Collection::admission).max();
    if strictest == Some(Admission::KnownOnly) {
        refusals.push(401);
    }
    if strictest != Some(Admission::Open) {
        refusals.push(429);
    }
    let operation = Operation {
        method: "get",
        id: "fetch-import-report".into(),
        summary: "What became of an import".into(),
        description: "For whoever made it, or a key that may manage keys. Kept for 7 days.".into(),
        success: Success {
            status: "200",
            description: "How far it is, or how it ended.".into(),
            content: Some(json!({ "application/json": { "schema": reference("schemas", "Import") } })),
            ..Success::default()
        },
        refusals,
        security: security::requirement(catalog.admission(), &settings.access_parameter),
        ..Operation::default()
    };
    let number = json!({
        "name": "n",
        "in": "path",
        "required": true,
        "description": "The number of the import.",
        "schema": { "type": "integer", "format": "int64", "minimum": 1 },
    });
    let place = Place { name: "import-report", tag: TAG, parameters: vec![number], may_be_unknown: true };
    path_item(&place, vec![operation])
}

/// The report.
pub(super) fn component() -> (String, Value) {
    let count = json!({ "type": "integer", "format": "int64", "minimum": 0 });
    let counts = json!({ "type": "object", "additionalProperties": count });
    let pair = |one: &str, of_one: Value, other: &str| {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": { (one): of_one, (other): { "type": "string" } },
                "required": [one, other],
                "additionalProperties": false,
            },
        })
    };
    let mut faults = pair("line", count.clone(), "fault");
    faults["items"]["properties"]["remedy"] = json!({
        "type": ["string", "null"],
        "description": "What to say about the file instead, in words that `fault` ends with",
    });
    faults["items"]["required"] = json!(["line", "fault", "remedy"]);
    let named = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let members = json!({
        "id": count,
        "ressource_uri": { "type": "string" },
        "collection": { "type": "string" },
        "format": { "type": "string", "enum": Format::ALL.map(Format::name) },
        "state": { "type": "string", "enum": ["judging", "storing", "done", "refused", "stopped"] },
        "dry_run": { "type": "boolean" },
        "entries": { "type": ["integer", "null"], "format": "int64" },
        "read": count,
        "created": count,
        "updated": count,
        "unchanged": count,
        "related": counts,
        "ignored": counts,
        "fault_count": count,
        "faults": faults,
        "not_taken": named("Columns and properties that are for no field, and that nobody has left out"),
        "unfilled": named("Fields that `fill` can give a value where the file has none"),
        "asks_for_ids": {
            "type": "boolean",
            "description": "Whether `match=id` or `ignore=id` must say whose the ids in the file are",
        },
        "mapping": pair("column", json!({ "type": "string" }), "field"),
        "first": { "type": "array", "items": { "type": "string" } },
        "error": { "type": ["string", "null"] },
    });
    let names: Vec<String> =
        members.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect();
    let schema =
        json!({ "type": "object", "properties": members, "required": names, "additionalProperties": false });
    ("Import".to_owned(), schema)
}
