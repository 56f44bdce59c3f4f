//! The filters of a list: one parameter for each field, and one for each operator that it takes.

use serde_json::{Map, Value, json};

use super::body;
use super::component::members;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::{Field, FieldKind};
use crate::catalog::name::ID;
use crate::http::query::MAX_PAIRS;
use crate::record::listing::operator::LONGEST_PART;
use crate::record::listing::{Column, Operator};

/// Every filter of a collection.
pub(super) fn components(catalog: &Catalog, collection: &Collection) -> Map<String, Value> {
    let mut components = Map::new();
    components.insert(component(collection, ID), on_id());
    for field in collection.fields() {
        components.insert(component(collection, field.name()), plain(catalog, field));
    }
    for (name, on, operator) in operators(collection) {
        components.insert(component(collection, &name), with_operator(collection, &name, on, operator));
    }
    components
}

/// The components of the plain filters, in declared order, then that of `id`.
pub(super) fn plain_names(collection: &Collection) -> Vec<String> {
    columns(collection).map(|(name, _)| component(collection, name)).collect()
}

/// The components of the filters with operators, in the same order.
pub(super) fn operator_names(collection: &Collection) -> Vec<String> {
    operators(collection).map(|(name, ..)| component(collection, &name)).collect()
}

/// Every name that a filter may have.
pub(super) fn parameters(collection: &Collection) -> Vec<String> {
    let plain = columns(collection).map(|(name, _)| name.to_owned());
    plain.chain(operators(collection).map(|(name, ..)| name)).collect()
}

fn component(collection: &Collection, name: &str) -> String {
    format!("{}-filter-{name}", collection.name())
}

fn columns(collection: &Collection) -> impl Iterator<Item = (&str, Column)> {
    let fields = collection.fields().iter().map(Field::name).chain([ID]);
    fields.filter_map(|name| Some((name, Column::find(collection, name)?)))
}

fn operators(collection: &Collection) -> impl Iterator<Item = (String, Column, Operator)> {
    columns(collection).flat_map(move |(name, on)| {
        let named = move |operator: Operator| (format!("{name}.{}", operator.name()), on, operator);
        Operator::of(collection, on).map(named)
    })
}

fn plain(catalog: &Catalog, field: &Field) -> Value {
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
    let mut schema = value_or_empty(field.kind(), field.is_required(), Some(field));
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

fn on_id() -> Value {
    json!({
        "name": ID,
        "in": "query",
        "description": "Only the record with this id.",
        "schema": body::value(FieldKind::OF_IDS),
    })
}

/// A value, or the empty text where that asks for records without one.
fn value_or_empty(kind: FieldKind, is_required: bool, field: Option<&Field>) -> Map<String, Value> {
    let mut value = body::value(kind);
    if let Some(field) = field {
        body::insert_rules(&mut value, field.rules());
        if let Some(choices) = value.get_mut("enum").and_then(Value::as_array_mut) {
            choices.push("".into());
        }
    }
    if kind.is_text() || is_required {
        return value;
    }
    // Not only by `allowEmptyValue`, which no generated client heeds: its users could not ask for these records.
    members(json!({ "anyOf": [value, { "const": "" }] }))
}

fn with_operator(collection: &Collection, name: &str, on: Column, operator: Operator) -> Value {
    let (kind, is_required) = on.kind(collection);
    let field = name.split('.').next().unwrap_or(name);
    let aside = if kind.is_text() { ", case and accents aside" } else { "" };
    let description = match operator {
        Operator::Equals => format!("Only records whose `{field}` equals this."),
        Operator::Ne if is_required => format!("Only records whose `{field}` is not this."),
        Operator::Ne => format!("Only records whose `{field}` is not this; those without a value count."),
        Operator::In => format!("Only records whose `{field}` equals one of these. May be repeated."),
        Operator::Null => {
            format!("`true`: only records without a value in `{field}`; `false`: only those with one.")
        }
        Operator::Lt => format!("Only records whose `{field}` is less than this{aside}."),
        Operator::Lte => format!("Only records whose `{field}` is this or less{aside}."),
        Operator::Gt => format!("Only records whose `{field}` is more than this{aside}."),
        Operator::Gte => format!("Only records whose `{field}` is this or more{aside}."),
        Operator::Folded => format!("Only records whose `{field}` equals this{aside}."),
        Operator::Prefix => format!("Only records whose `{field}` begins with this{aside}."),
        Operator::Contains => format!("Only records whose `{field}` holds this{aside}."),
    };
    let schema = match operator {
        Operator::Equals | Operator::Ne => value_or_empty(kind, is_required, on.field(collection)),
        Operator::In => members(json!({
            "type": "array",
            "items": value_or_empty(kind, is_required, on.field(collection)),
            "minItems": 1,
            "maxItems": MAX_PAIRS,
        })),
        Operator::Null => members(json!({ "type": "boolean" })),
        Operator::Lt | Operator::Lte | Operator::Gt | Operator::Gte | Operator::Folded => at_least_one(kind),
        Operator::Prefix | Operator::Contains => {
            let mut schema = at_least_one(kind);
            schema.insert("maxLength".into(), LONGEST_PART.into());
            schema
        }
    };
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

/// A value, and where it is a text one that is not empty.
fn at_least_one(kind: FieldKind) -> Map<String, Value> {
    let mut schema = body::value(kind);
    if kind.is_text() {
        schema.insert("minLength".into(), 1.into());
    }
    schema
}
