//! The paths of the service itself, which are open to everybody.

use serde_json::{Map, Value, json};

use super::component::reference;
use super::operation::{Operation, Place, Success, path_item};
use super::{header, refusal};
use crate::api::Settings;
use crate::catalog::Catalog;
use crate::catalog::collection::{Collection, Verb};
use crate::catalog::field::FieldKind;

/// Their tag. No collection begins with a capital letter.
pub(super) const TAG: &str = "Service";

struct Page {
    path: &'static str,
    /// The last part of the operation ids.
    name: &'static str,
    summary: &'static str,
    success: &'static str,
    /// The header fields that it has besides those of every answer.
    headers: &'static [&'static str],
    content: Content,
}

enum Content {
    /// JSON of this component.
    Json(&'static str),
    OpenMetrics,
}

const PAGES: [Page; 7] = [
    Page {
        path: ROOT,
        name: "index",
        summary: "Say what is here",
        success: "The collections, and where they are described.",
        headers: &[header::SERVICE_LINK],
        content: Content::Json("Index"),
    },
    Page {
        path: "/schema/",
        name: "schemas",
        summary: "Describe all collections",
        success: "The collections by name.",
        headers: &[header::SERVICE_LINK],
        content: Content::Json("Schemas"),
    },
    Page {
        path: "/schema/{name}/",
        name: "schema",
        summary: "Describe the fields of a collection",
        success: "The fields by name.",
        headers: &[],
        content: Content::Json("Schema"),
    },
    Page {
        path: "/openapi.json",
        name: "openapi",
        summary: "Describe the service in OpenAPI",
        success: "This document.",
        headers: &["ETag"],
        content: Content::Json("OpenApi"),
    },
    Page {
        path: "/livez",
        name: "livez",
        summary: "Say whether the server is alive",
        success: "It is.",
        headers: &[],
        content: Content::Json("Health"),
    },
    Page {
        path: "/readyz",
        name: "readyz",
        summary: "Say whether the server can do its work",
        success: "It can.",
        headers: &[],
        content: Content::Json("Health"),
    },
    Page {
        path: METRICS,
        name: "metrics",
        summary: "Show the metrics of the server",
        success: "The metrics in OpenMetrics.",
        headers: &[],
        content: Content::OpenMetrics,
    },
];

const ROOT: &str = "/";
const METRICS: &str = "/metrics";

/// Every path of the service itself.
pub(super) fn paths(settings: &Settings) -> Map<String, Value> {
    let pages = PAGES.iter().filter(|page| settings.shows_metrics || page.path != METRICS);
    pages.map(|page| (page.path.to_owned(), describe(page, settings.has_console))).collect()
}

/// What those paths answer, as far as it depends on the configuration.
pub(super) fn components(catalog: &Catalog) -> [(String, Value); 3] {
    [("Index".into(), index(catalog)), ("Schemas".into(), schemas(catalog)), ("Schema".into(), schema())]
}

fn describe(page: &Page, has_console: bool) -> Value {
    let leads_to_console = has_console && page.path == ROOT;
    let has_parameter = page.path.contains('{');
    let mut refusals = refusal::OF_ANY.to_vec();
    let mut parameters = Vec::new();
    if has_parameter {
        refusals.push(404);
        parameters.push(reference("parameters", "CollectionName"));
    }
    let content = match page.content {
        Content::Json(name) => json!({ "application/json": { "schema": reference("schemas", name) } }),
        Content::OpenMetrics => json!({ "application/openmetrics-text": { "schema": { "type": "string" } } }),
    };
    let mut asides = Map::new();
    if page.headers.contains(&"ETag") {
        parameters.push(reference("parameters", "If-None-Match"));
        let not_modified = json!({
            "description": "The document is one of those that `If-None-Match` names: the client has it already.",
            "headers": header::carried(&["ETag"], false),
        });
        asides.insert("304".into(), not_modified);
    }
    if leads_to_console {
        asides.insert("303".into(), to_console());
    }
    let get = Operation {
        method: "get",
        id: format!("get-{}", page.name),
        summary: page.summary.into(),
        description: "Answered without an access key.".into(),
        success: Success {
            status: "200",
            description: page.success.into(),
            headers: page.headers.to_vec(),
            content: Some(content),
        },
        asides,
        refusals,
        ..Operation::default()
    };
    let place = Place { name: page.name, tag: TAG, parameters, may_be_unknown: has_parameter };
    path_item(&place, vec![get])
}

/// What a browser is answered instead.
fn to_console() -> Value {
    let mut headers = header::carried(&[], false);
    headers.insert(
        "Location".into(),
        json!({
            "description": "Where the console is, relative to the request.",
            "required": true,
            "schema": { "type": "string", "const": "console/" },
        }),
    );
    json!({
        "description": "The request accepts `text/html`: a browser, which is sent to the console.",
        "headers": headers,
    })
}

fn index(catalog: &Catalog) -> Value {
    let of = |collection: &Collection| json!({ "const": format!("/{}/", collection.name()) });
    closed(vec![
        ("name", json!({ "const": "carnet" })),
        ("version", json!({ "type": "string" })),
        ("schema", json!({ "const": "/schema/" })),
        ("openapi", json!({ "const": "/openapi.json" })),
        ("collections", closed(each(catalog, of))),
    ])
}

fn schemas(catalog: &Catalog) -> Value {
    let verbs = |verbs: &[Verb]| {
        let names: Vec<&str> = verbs.iter().map(|verb| verb.name()).collect();
        json!({ "type": "array", "items": { "enum": names }, "maxItems": names.len(), "uniqueItems": true })
    };
    let of = |collection: &Collection| {
        let name = collection.name();
        closed(vec![
            // The members are spelled as the specification spells them.
            ("allowed list_verbs", verbs(collection.list_verbs())),
            ("allowed unique ressource", verbs(collection.unique_verbs())),
            ("list_endpoint", json!({ "const": format!("/{name}/") })),
            ("schema_endpoint", json!({ "const": format!("/schema/{name}/") })),
        ])
    };
    closed(each(catalog, of))
}

fn schema() -> Value {
    json!({
        "type": "object",
        "description": "Each field by its name, in declared order.",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "type": { "enum": FieldKind::ALL.map(FieldKind::name) },
                "required": { "const": "true", "description": "Only where the field is required." },
                "example": { "type": "string" },
            },
            "required": ["type", "example"],
            "additionalProperties": false,
        },
    })
}

fn each(catalog: &Catalog, of: impl Fn(&Collection) -> Value) -> Vec<(&str, Value)> {
    let collections = catalog.collections().iter();
    collections.map(|collection| (collection.name(), of(collection))).collect()
}

/// An object that has exactly these members.
fn closed(members: Vec<(&str, Value)>) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let required = json!(names);
    let properties: Map<String, Value> =
        members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
