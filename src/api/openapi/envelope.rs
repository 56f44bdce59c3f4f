//! The envelope of a list as JSON Schema: `meta` and `object_list`.

use serde_json::{Map, Value, json};

use super::component::members;
use super::{body, filter};
use crate::catalog::collection::{Collection, Pagination};
use crate::catalog::control::Control;

/// What the list of this collection is answered with.
pub(super) fn of(collection: &Collection) -> Value {
    let mut object_list = json!({ "type": "array", "items": body::of(collection, "record") });
    if let Some(pagination) = collection.pagination() {
        object_list["maxItems"] = pagination.page_size.into();
    }
    json!({
        "type": "object",
        "description": format!(
            "Records of `{}`, in ascending order of their ids unless the request sorts them.",
            collection.name()
        ),
        "properties": { "meta": meta(collection), "object_list": object_list },
        "required": ["meta", "object_list"],
        "additionalProperties": false,
    })
}

fn meta(collection: &Collection) -> Value {
    let mut properties = collection.pagination().map(page).unwrap_or_default();
    let searches = [Control::Search.name(), Control::Search.long_name()];
    let searches = searches.into_iter().filter(|name| Control::of(collection, name) == Some(Control::Search));
    let mut filters = filter::parameters(collection);
    filters.extend(searches.map(str::to_owned));
    properties.insert(
        "filters".into(),
        json!({
            "type": "object",
            "description": "The filters of the request, each as the text that was given; several of one joined by commas.",
            "propertyNames": { "enum": filters },
            "additionalProperties": { "type": "string" },
        }),
    );
    let required: Vec<String> = properties.keys().cloned().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The members of `meta` that a list has only where it is cut into pages.
fn page(pagination: &Pagination) -> Map<String, Value> {
    let (offset, count) = (&pagination.offset_key, &pagination.count_key);
    let turn = |which: &str| {
        json!({
            "type": "string",
            "description": format!("The query of the {which} page without its filters, or the text `null`."),
            "pattern": format!(r"^(\?{offset}=[0-9]+|null)$"),
        })
    };
    members(json!({
        count: {
            "type": "integer",
            "description": "How many records a page may hold, not how many this one does.",
            "minimum": 1,
            "maximum": pagination.page_size,
        },
        offset: { "type": "integer", "description": "The index of the first record of the page.", "minimum": 0 },
        "total_count": { "type": "integer", "description": "How many records match the filters.", "minimum": 0 },
        "next": turn("next"),
        "previous": turn("previous"),
    }))
}
