//! Parameters: what a list takes, the record's id, preferences, conditions.

use serde_json::{Map, Value, json};

use super::component::{self, reference};
use super::{body, control, filter};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Pagination};
use crate::catalog::name::ID;
use crate::catalog::name::key_parameters;
use crate::transfer::format::Format;

/// Every parameter there is.
pub(super) fn components(catalog: &Catalog, access_parameter: &str) -> Map<String, Value> {
    let mut components = Map::new();
    for collection in catalog.collections() {
        components.extend(filter::components(catalog, collection));
        components.extend(control::components(collection, &key_parameters(access_parameter)));
        if let Some(pagination) = collection.pagination() {
            components.insert(page_name(collection, "offset"), offset(pagination));
            components.insert(page_name(collection, "count"), count(pagination));
        }
    }
    for parameter in key_parameters(access_parameter) {
        components.insert(ignored_name(parameter), ignored(parameter));
    }
    components.insert("RecordId".into(), record_id());
    components.insert("CollectionName".into(), collection_name(catalog));
    components.extend(component::fixed("parameters"));
    components
}

/// The parameters of a list: filters in declared order, `id`, the page, controls, then filters with operators.
pub(super) fn of_list(collection: &Collection, access_parameter: &str, admission: Admission) -> Vec<Value> {
    let mut names = filter::plain_names(collection);
    if collection.pagination().is_some() {
        names.extend(["offset", "count"].map(|name| page_name(collection, name)));
    }
    names.extend(control::names(collection));
    names.extend(filter::operator_names(collection));
    names.extend(ignored_names(access_parameter, admission));
    names.iter().map(|name| reference("parameters", name)).collect()
}

/// The parameters of an export: those of a list that are not about its pages.
pub(super) fn of_export(
    collection: &Collection,
    format: Format,
    (access_parameter, admission): (&str, Admission),
) -> Vec<Value> {
    let mut names = filter::plain_names(collection);
    names.extend(control::of_export(collection, format));
    names.extend(filter::operator_names(collection));
    names.extend(ignored_names(access_parameter, admission));
    names.iter().map(|name| reference("parameters", name)).collect()
}

/// Elsewhere the security schemes say it, and a client should not see it twice.
fn ignored_names(access_parameter: &str, admission: Admission) -> Vec<String> {
    let parameters = (admission == Admission::Open).then(|| key_parameters(access_parameter));
    parameters.into_iter().flatten().map(ignored_name).collect()
}

fn page_name(collection: &Collection, name: &str) -> String {
    format!("{}-page-{name}", collection.name())
}

fn ignored_name(parameter: &str) -> String {
    format!("Ignored-{parameter}")
}

fn offset(pagination: &Pagination) -> Value {
    json!({
        "name": pagination.offset_key,
        "in": "query",
        "description": "How many of the matching records come before the page; none where it is left out. Not beside a cursor.",
        "schema": { "type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX },
    })
}

fn count(pagination: &Pagination) -> Value {
    json!({
        "name": pagination.count_key,
        "in": "query",
        "description": "How many records the page may hold.",
        "schema": {
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "maximum": pagination.page_size,
            "default": pagination.page_size,
        },
    })
}

fn ignored(parameter: &str) -> Value {
    json!({
        "name": parameter,
        "in": "query",
        "description": "An access key: accepted, and without meaning, where nobody is asked for one. It is \
            no filter.",
        "schema": { "type": "string" },
    })
}

fn record_id() -> Value {
    json!({
        "name": ID,
        "in": "path",
        "required": true,
        "description": "The id of a record. Anything else than a positive integer is not found.",
        "schema": body::id(),
    })
}

fn collection_name(catalog: &Catalog) -> Value {
    let names: Vec<&str> = catalog.collections().iter().map(Collection::name).collect();
    json!({
        "name": "name",
        "in": "path",
        "required": true,
        "description": "The name of a collection.",
        "schema": { "type": "string", "enum": names },
    })
}
