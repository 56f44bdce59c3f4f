//! Parameters: filters, the page, the record's id, preferences, conditions.

use serde_json::{Map, Value, json};

use super::body;
use super::component::{self, members, reference};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Pagination};
use crate::catalog::field::{Field, FieldKind};
use crate::catalog::name::ID;
use crate::catalog::name::key_parameters;

/// Every parameter there is.
pub(super) fn components(catalog: &Catalog, access_parameter: &str) -> Map<String, Value> {
    let mut components = Map::new();
    for collection in catalog.collections() {
        components.insert(filter_name(collection, ID), filter_on_id());
        for field in collection.fields() {
            let described = filter(catalog, field);
            components.insert(filter_name(collection, field.name()), described);
        }
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

/// The parameters of a list: filters in declared order, `id`, then the page.
pub(super) fn of_list(collection: &Collection, access_parameter: &str) -> Vec<Value> {
    let fields = collection.fields().iter().map(Field::name);
    let filters = fields.chain([ID]).map(|name| filter_name(collection, name));
    let mut names: Vec<String> = filters.collect();
    if collection.pagination().is_some() {
        names.extend(["offset", "count"].map(|name| page_name(collection, name)));
    }
    // Elsewhere the security schemes say it, and a client should not see it twice.
    if collection.admission() == Admission::Open {
        let parameters = key_parameters(access_parameter);
        names.extend(parameters.into_iter().map(ignored_name));
    }
    names.iter().map(|name| reference("parameters", name)).collect()
}

fn filter_name(collection: &Collection, name: &str) -> String {
    format!("{}-filter-{name}", collection.name())
}

fn page_name(collection: &Collection, name: &str) -> String {
    format!("{}-page-{name}", collection.name())
}

fn ignored_name(parameter: &str) -> String {
    format!("Ignored-{parameter}")
}

fn filter(catalog: &Catalog, field: &Field) -> Value {
    let name = field.name();
    let mut description = format!("Only records whose `{name}` equals this.");
    description.push_str(match (field.kind().is_text(), field.is_required()) {
        (true, true) => " Compared byte for byte.",
        (true, false) => " Compared byte for byte. Empty: those without a value, or with the empty string.",
        (false, true) => " Empty: none.",
        (false, false) => " Empty: those without a value.",
    });
    if let Some([_, in_a_query]) = body::spelling(field.kind()) {
        description.extend([" ", in_a_query]);
    }
    let mut schema = body::value(field.kind());
    if !field.kind().is_text() && !field.is_required() {
        // Not only by `allowEmptyValue`, which no generated client heeds: its users could not ask for these records.
        schema = members(json!({ "anyOf": [schema, { "const": "" }] }));
    }
    body::refer(catalog, field, &mut schema);
    schema.insert("examples".into(), json!([body::example(field)]));
    json!({
        "name": name,
        "in": "query",
        "description": description,
        "allowEmptyValue": true,
        "schema": schema,
    })
}

fn filter_on_id() -> Value {
    json!({
        "name": ID,
        "in": "query",
        "description": "Only the record with this id.",
        "schema": body::value(FieldKind::OF_IDS),
    })
}

fn offset(pagination: &Pagination) -> Value {
    json!({
        "name": pagination.offset_key,
        "in": "query",
        "description": "How many of the matching records come before the page.",
        "schema": { "type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX, "default": 0 },
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
