//! The bodies of a collection as JSON Schema: a record, what creates one, what updates one.

use serde_json::{Map, Value, json};

use super::component::{members, reference};
use super::envelope;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::{Field, FieldKind};
use crate::catalog::name::{EXPANDED, ID, RESSOURCE_URI};
use crate::catalog::rule::{Format, TextRules};
use crate::record::representation;

/// No U+0000; any other character, line ends included.
const TEXT: &str = r"^[^\u0000]*$";

/// The record of an earlier item of a batch.
const EARLIER_ITEM: &str = r"^\$(0|[1-9][0-9]{0,2})$";

/// JSON Schema counts `45.0` among the integers, so words have to say it.
const INTEGER: [&str; 2] = [
    "Written without a point or an exponent: `45.0` and `1e2` are refused, which a schema cannot express.",
    "Written without a point, an exponent or leading zeros.",
];

/// As a format alone does not say it.
const DAY: &str = "A day of the years 0001 to 9999.";
const MOMENT: [&str; 2] = [
    "With `T`, `Z` or an offset, and at most 6 digits of a second, within the years 0001 to 9999 of UTC, in which it is \
     answered.",
    "With `T`, `Z` or an offset, and at most 6 digits of a second.",
];

/// What the bodies of this collection may be.
pub(super) fn components(catalog: &Catalog, collection: &Collection) -> Map<String, Value> {
    let mut components = Map::new();
    components.insert(name(collection, "record"), record(catalog, collection));
    for side in [Side::Request, Side::Item] {
        let suffix = if side == Side::Item { "-in-batch" } else { "" };
        components.insert(name(collection, &format!("create{suffix}")), create(catalog, collection, side));
        components.insert(name(collection, &format!("update{suffix}")), update(catalog, collection, side));
    }
    components.insert(name(collection, "envelope"), envelope::of(collection));
    components
}

/// Refers to `record`, `create`, `update` or `envelope` of this collection, or to `create-in-batch` or
/// `update-in-batch`, the same where references may be to items of a batch.
pub(super) fn of(collection: &Collection, body: &str) -> Value {
    let refers = collection.fields().iter().any(|field| field.reference().is_some());
    let body = if refers { body } else { body.trim_end_matches("-in-batch") };
    reference("schemas", &name(collection, body))
}

/// The values of a kind, without the absent one.
pub(super) fn value(kind: FieldKind) -> Map<String, Value> {
    let value = match kind {
        FieldKind::String => json!({ "type": "string", "pattern": TEXT }),
        FieldKind::Integer => json!({
            "type": "integer",
            "format": "int64",
            "minimum": i64::MIN,
            "maximum": i64::MAX,
        }),
        FieldKind::Float => json!({ "type": "number", "format": "double" }),
        FieldKind::Boolean => json!({ "type": "boolean" }),
        FieldKind::Date => json!({ "type": "string", "format": "date" }),
        FieldKind::Datetime => json!({ "type": "string", "format": "date-time" }),
    };
    members(value)
}

fn insert_format(schema: &mut Map<String, Value>, format: Format) {
    schema.insert("pattern".into(), format.pattern().into());
    let (name, longest) = match format {
        Format::Email => ("email", Format::LONGEST_EMAIL),
        Format::Url => ("uri", Format::LONGEST_URL),
        Format::Phone => return,
    };
    schema.insert("format".into(), name.into());
    schema.insert("maxLength".into(), longest.into());
}

/// The rules of a string that the table itself holds.
pub(super) fn insert_rules(schema: &mut Map<String, Value>, rules: &TextRules) {
    if let Some(most) = rules.max_length {
        let of_format = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
        schema.insert("maxLength".into(), most.min(of_format).into());
    }
    if !rules.choices.is_empty() {
        for key in ["pattern", "maxLength"] {
            schema.shift_remove(key);
        }
        schema.insert("enum".into(), json!(rules.choices));
    }
}

/// A record's id.
pub(super) fn id() -> Value {
    json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": i64::MAX })
}

/// Says for programs which collection a field refers to, and what the delete of a record there does to this one.
pub(super) fn refer(catalog: &Catalog, field: &Field, schema: &mut Map<String, Value>) {
    if let Some(reference) = field.reference() {
        let target = catalog.at(reference.target).name();
        schema.insert("x-references".into(), target.into());
        schema.insert("x-on-delete".into(), reference.on_delete.name().into());
    }
}

/// A value that the field would accept.
pub(super) fn example(field: &Field) -> Value {
    serde_json::from_str(&representation::example(field)).unwrap_or_else(|_| field.example().into())
}

/// What a schema cannot express about how values of this kind are written, in a body and in a query.
pub(super) fn spelling(kind: FieldKind) -> Option<[&'static str; 2]> {
    match kind {
        FieldKind::Integer => Some(INTEGER),
        FieldKind::Date => Some([DAY, DAY]),
        FieldKind::Datetime => Some(MOMENT),
        FieldKind::String | FieldKind::Float | FieldKind::Boolean => None,
    }
}

/// A record as the collection would show it.
pub(super) fn example_of_record(collection: &Collection) -> Map<String, Value> {
    let mut example = examples(collection.fields());
    if collection.shows_id() {
        example.insert(ID.into(), 1.into());
    }
    example.insert(RESSOURCE_URI.into(), format!("/{}/1/", collection.name()).into());
    example
}

// No collection has a hyphen in its name, so no two of these are the same.
fn name(collection: &Collection, body: &str) -> String {
    format!("{}-{body}", collection.name())
}

fn record(catalog: &Catalog, collection: &Collection) -> Value {
    let mut properties = fields(catalog, collection, Side::Answer);
    if collection.shows_id() {
        properties.insert(ID.into(), id());
    }
    properties.insert(RESSOURCE_URI.into(), ressource_uri(collection));
    let required: Vec<String> = properties.keys().cloned().collect();
    if let Some(expanded) = expanded(catalog, collection) {
        properties.insert(EXPANDED.into(), expanded);
    }
    let mut schema = json!({
        "type": "object",
        "description": format!("A record of `{}`. A field without a value is null.", collection.name()),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "examples": [example_of_record(collection)],
    });
    if let Some(title) = collection.title() {
        schema["x-title"] = title.into();
    }
    schema
}

/// The records that one refers to, where the request asks for them.
fn expanded(catalog: &Catalog, collection: &Collection) -> Option<Value> {
    let references = collection.fields().iter().filter(|field| field.is_expandable());
    let shown: Map<String, Value> = references
        .filter_map(|field| {
            let target = catalog.at(field.reference()?.target);
            let record = json!({ "anyOf": [of(target, "record"), { "type": "null" }] });
            Some((field.name().to_owned(), record))
        })
        .collect();
    if shown.is_empty() {
        return None;
    }
    Some(json!({
        "type": "object",
        "description": "The records that this one refers to, where `expand` names the fields; null without a reference.",
        "properties": shown,
        "additionalProperties": false,
    }))
}

fn create(catalog: &Catalog, collection: &Collection, side: Side) -> Value {
    let fields_required = collection.fields().iter().filter(|field| field.must_be_given());
    let required: Vec<&str> = fields_required.map(Field::name).collect();
    let mut properties = fields(catalog, collection, side);
    for field in collection.fields() {
        if let (Some(default), Some(schema)) =
            (representation::default(field), properties.get_mut(field.name()))
        {
            schema["default"] = serde_json::from_str(&default).unwrap_or_default();
        }
    }
    json!({
        "type": "object",
        "description": format!(
            "A new record of `{}`. The service assigns `{ID}` and `{RESSOURCE_URI}`.",
            collection.name()
        ),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "examples": [examples(collection.fields())],
    })
}

fn update(catalog: &Catalog, collection: &Collection, side: Side) -> Value {
    let mut properties = fields(catalog, collection, side);
    // A client may send back what it was given.
    properties.insert(ID.into(), id());
    properties.insert(RESSOURCE_URI.into(), ressource_uri(collection));
    json!({
        "type": "object",
        "description": format!(
            "The fields to change; the others keep their value, and null takes an optional one away. \
            `{ID}` and `{RESSOURCE_URI}` cannot be changed: they are accepted where they equal the record's own."
        ),
        "properties": properties,
        "additionalProperties": false,
        "examples": [examples(&collection.fields()[..1])],
    })
}

/// Who writes the value.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Request,
    /// A request in a batch.
    Item,
    Answer,
}

fn fields(catalog: &Catalog, collection: &Collection, side: Side) -> Map<String, Value> {
    let fields = collection.fields().iter();
    fields.map(|field| (field.name().to_owned(), member(catalog, field, side))).collect()
}

fn member(catalog: &Catalog, field: &Field, side: Side) -> Value {
    let mut schema = value(field.kind());
    if let Some(format) = field.rules().format {
        insert_format(&mut schema, format);
    }
    if side == Side::Answer {
        // What another tool has stored is shown as it is.
        for key in ["pattern", "maxLength"] {
            schema.shift_remove(key);
        }
    }
    insert_rules(&mut schema, field.rules());
    if !field.is_required() {
        let kind = schema["type"].take();
        schema.insert("type".into(), json!([kind, "null"]));
        if let Some(choices) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            choices.push(Value::Null);
        }
    }
    let wording = field.wording();
    if let Some(label) = &wording.label {
        schema.insert("title".into(), label.as_str().into());
    }
    let mut description: Vec<String> = wording.help.iter().cloned().collect();
    if side == Side::Item && field.reference().is_some() {
        let mut kinds = vec![json!("string")];
        match schema["type"].take() {
            Value::Array(several) => kinds.extend(several),
            one => kinds.push(one),
        }
        schema.insert("type".into(), kinds.into());
        schema.insert("pattern".into(), EARLIER_ITEM.into());
        description.push("Or `$n`: the record of item n of the batch.".to_owned());
    }
    // People read what is said of an answer, where it is said.
    let is_told = side == Side::Answer && wording.help.is_some();
    if let Some(reference) = field.reference().filter(|_| !is_told) {
        description.push(format!("The id of a record of `{}`.", catalog.at(reference.target).name()));
    }
    if side != Side::Answer {
        description.extend(spelling(field.kind()).map(|[in_a_body, _]| in_a_body.to_owned()));
    }
    if !description.is_empty() {
        schema.insert("description".into(), description.join(" ").into());
    }
    refer(catalog, field, &mut schema);
    schema.insert("examples".into(), json!([example(field)]));
    schema.into()
}

fn ressource_uri(collection: &Collection) -> Value {
    json!({ "type": "string", "pattern": format!("^/{}/[1-9][0-9]*/$", collection.name()) })
}

fn examples(fields: &[Field]) -> Map<String, Value> {
    let fields = fields.iter();
    fields.map(|field| (field.name().to_owned(), example(field))).collect()
}
