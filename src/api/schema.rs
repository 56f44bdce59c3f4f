//! What the service says about itself: `/`, `/schema/` and `/schema/<name>/`.

use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::catalog::collection::{Collection, Verb};
use crate::http::Bytes;

/// The index at `/` for programs.
pub(super) fn root(catalog: &Catalog) -> Bytes {
    let collections: Map<String, Value> = catalog
        .collections()
        .iter()
        .map(|collection| (collection.name().to_owned(), json!(format!("/{}/", collection.name()))))
        .collect();
    text(&json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "schema": "/schema/",
        "openapi": "/openapi.json",
        "collections": collections,
    }))
}

/// The collections, keyed by name.
pub(super) fn index(catalog: &Catalog) -> Bytes {
    let names = |verbs: &[Verb]| verbs.iter().map(|verb| verb.name()).collect::<Vec<_>>();
    let collections: Map<String, Value> = catalog
        .collections()
        .iter()
        .map(|collection| {
            let name = collection.name();
            let entry = json!({
                "allowed list_verbs": names(collection.list_verbs()),
                "allowed unique ressource": names(collection.unique_verbs()),
                "list_endpoint": format!("/{name}/"),
                "schema_endpoint": format!("/schema/{name}/"),
            });
            (name.to_owned(), entry)
        })
        .collect();
    text(&Value::Object(collections))
}

/// The fields of one collection, keyed by name.
pub(super) fn of(collection: &Collection) -> Bytes {
    let fields: Map<String, Value> = collection
        .fields()
        .iter()
        .map(|field| {
            let mut entry = Map::new();
            entry.insert("type".into(), json!(field.kind().name()));
            if field.is_required() {
                // The specification's text, not a boolean.
                entry.insert("required".into(), json!("true"));
            }
            entry.insert("example".into(), json!(field.example()));
            (field.name().to_owned(), Value::Object(entry))
        })
        .collect();
    text(&Value::Object(fields))
}

fn text(document: &Value) -> Bytes {
    document.to_string().into()
}
