//! The parameters of a list that name no field: `search`, `sort`, `fields`, `expand`, `after`.

use serde_json::{Map, Value, json};

use super::component::reference;
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;
use crate::catalog::field::Field;
use crate::catalog::name::{ID, RESSOURCE_URI};
use crate::record::listing::search::{LONGEST, MOST_WORDS};
use crate::record::listing::sort::MOST_NAMES;
use crate::transfer::format::Format;

/// Those of a collection, where some parameters carry an access key.
pub(super) fn components(collection: &Collection, key_parameters: &[&str]) -> Map<String, Value> {
    let described = of(collection).map(|control| {
        let name = control.name_in(collection, key_parameters);
        (component(collection, control), describe(collection, control, name))
    });
    described.collect()
}

/// Their components.
pub(super) fn names(collection: &Collection) -> Vec<String> {
    of(collection).map(|control| component(collection, control)).collect()
}

/// Those that a fetch has, too.
pub(super) fn of_fetch(collection: &Collection) -> impl Iterator<Item = Value> {
    let of_fetch = of(collection).filter(|control| matches!(control, Control::Fields | Control::Expand));
    of_fetch.map(|control| reference("parameters", &component(collection, control)))
}

/// Those that an export has, too.
pub(super) fn of_export(collection: &Collection, format: Format) -> Vec<String> {
    let of_export = of(collection).filter(|control| format.takes(*control));
    of_export.map(|control| component(collection, control)).collect()
}

/// Without `expand` where there is nothing that it could name.
fn of(collection: &Collection) -> impl Iterator<Item = Control> {
    let is_empty = |control| control == Control::Expand && expandable(collection).is_empty();
    Control::ALL.into_iter().filter(move |control| control.is_for(collection) && !is_empty(*control))
}

fn expandable(collection: &Collection) -> Vec<&str> {
    let expandable = collection.fields().iter().filter(|field| field.is_expandable());
    expandable.map(Field::name).collect()
}

fn component(collection: &Collection, control: Control) -> String {
    format!("{}-list-{}", collection.name(), control.name())
}

/// The search, with the names of the fields whose words it looks at.
fn search(collection: &Collection, name: &str) -> Value {
    let searchable = collection.fields().iter().filter(|field| field.is_searchable());
    let fields: Vec<String> = searchable.map(|field| format!("`{}`", field.name())).collect();
    let schema =
        json!({ "type": "string", "pattern": "^[^\\u0000]*$", "minLength": 1, "maxLength": LONGEST });
    let description = format!(
        "Only records in which each of these 1 to {MOST_WORDS} words begins a word of {}, in any order, case and \
         accents aside. Where nothing is found, long words may have one typo. Without a sort, records come first in \
         which every word is a whole one.",
        fields.join(" or ")
    );
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

fn describe(collection: &Collection, control: Control, name: &str) -> Value {
    let fields: Vec<&str> = collection.fields().iter().map(Field::name).chain([ID]).collect();
    let fields = fields.join("|");
    let (description, schema) = match control {
        Control::Search => return search(collection, name),
        Control::Sort => (
            "The fields to sort by, the first of them first; `-` before one: descending. Text is sorted without \
             case and accents. Records without a value come last; equal ones are in the order of their ids. \
             Each field once.",
            json!({
                "type": "string",
                "pattern": format!("^-?({fields})(,-?({fields})){{0,{}}}$", MOST_NAMES - 1),
            }),
        ),
        Control::Fields => (
            "The fields to show, besides `ressource_uri`; all others are missing then, although the schema of a \
             record requires them. Each field once.",
            json!({
                "type": "string",
                "pattern": format!("^({fields}|{RESSOURCE_URI})(,({fields}|{RESSOURCE_URI}))*$"),
            }),
        ),
        Control::Expand => {
            let names = expandable(collection).join("|");
            (
                "The references to follow: each record gets a member `_expanded` with the records that it refers \
                 to. The caller must be able to fetch those, and the request counts in their rate limits, too. \
                 Each field once.",
                json!({ "type": "string", "pattern": format!("^({names})(,({names}))*$") }),
            )
        }
        Control::After => (
            "Walks the list by cursors, which show no record twice and leave none out while others write. Empty: from \
             the start. The `Link` with `rel=\"next\"` then has the next cursor, for the same sort. Not together \
             with an offset.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]*$" }),
        ),
    };
    let mut parameter = json!({ "name": name, "in": "query", "description": description, "schema": schema });
    if control == Control::After {
        parameter["allowEmptyValue"] = true.into();
    }
    parameter
}
