//! The paths of exports: one for each collection and form.

use serde_json::{Value, json};

use super::door::Door;
use super::operation::{Operation, Place, Success, path_item};
use super::{parameter, refusal, security};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::transfer::format::{Choice, Format};
use crate::transfer::vcard::Version;

const DESCRIPTION: &str = "\
All records that match, in ascending order of ids and of one moment, sent while they are read. An answer that breaks ends \
without its last chunk, or with a reset: a part never looks whole. Judged as the list of the collection.";

pub(super) fn paths(catalog: &Catalog, access_parameter: &str) -> Vec<(String, Value)> {
    let is_listed = |collection: &&Collection| collection.list_verbs().contains(&Verb::Get);
    let of_each = catalog.collections().iter().filter(is_listed).flat_map(|collection| {
        Format::ALL.into_iter().map(move |format| path(catalog, collection, format, access_parameter))
    });
    of_each.collect()
}

fn path(
    catalog: &Catalog,
    collection: &Collection,
    format: Format,
    access_parameter: &str,
) -> (String, Value) {
    let (name, ending) = (collection.name(), format.ending());
    let door = Door::of(catalog, collection, Verb::Get);
    let mut parameters = parameter::of_export(collection, format, (access_parameter, door.admission));
    parameters.extend(Choice::of(format).iter().map(|choice| chosen(collection, *choice)));
    let mut refusals = refusal::OF_ANY.to_vec();
    if door.strictest == Admission::KnownOnly {
        refusals.push(401);
    }
    if door.strictest != Admission::Open {
        refusals.push(429);
    }
    let media_type = format.media_type();
    let operation = Operation {
        method: "get",
        id: format!("export-{name}-{ending}"),
        summary: format!("Export `{name}` as {}", title(format)),
        description: DESCRIPTION.into(),
        parameters,
        success: Success {
            status: "200",
            description: "The file.".into(),
            headers: vec!["Content-Disposition"],
            content: Some(json!({ (media_type): { "schema": { "type": "string" } } })),
        },
        refusals,
        security: security::requirement(door.admission, access_parameter),
        is_limited: door.is_limited,
        ..Operation::default()
    };
    let place = format!("{name}-{ending}-export");
    let place = Place { name: &place, tag: name, parameters: Vec::new(), may_be_unknown: false };
    (format!("/_/export/{name}.{ending}"), path_item(&place, vec![operation]))
}

fn title(format: Format) -> &'static str {
    match format {
        Format::Csv => "CSV",
        Format::Jsonl => "JSON lines",
        Format::Vcard => "vCard",
    }
}

fn chosen(collection: &Collection, choice: Choice) -> Value {
    let (description, schema) = match choice {
        Choice::Spreadsheet => (
            "For a spreadsheet: with a byte order mark, and a `'` before each text that would be computed.",
            json!({ "type": "boolean", "default": false }),
        ),
        Choice::Vcard => (
            "Which vCard; every phone takes 3.0.",
            json!({ "type": "string", "enum": Version::ALL.map(Version::name), "default": Version::V3.name() }),
        ),
    };
    json!({ "name": choice.name_in(collection), "in": "query", "description": description, "schema": schema })
}
