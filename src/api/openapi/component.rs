//! Components: what is described once and referred to from many places.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The components that are the same for every configuration; null where one depends on it. A test compares the
/// numbers in it with the code.
const TEMPLATE: &str = include_str!("components.json");

/// The components of this kind (`schemas`, `headers`, …) that are the same for every configuration.
pub(super) fn fixed(kind: &str) -> Map<String, Value> {
    let mut template: Map<String, Value> = serde_json::from_str(TEMPLATE).unwrap_or_default();
    template.remove(kind).map(members).unwrap_or_default()
}

/// The members of an object that was written out as one.
pub(super) fn members(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Refers to a component of this kind (`schemas`, `headers`, …).
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// Takes away the components that no path leads to, and the kinds that are empty then.
///
/// Every part describes all that it knows, whatever this catalog uses: a rule that decides would have
/// to say the same thing a second time, and could say it differently.
pub(super) fn leave_out_unused(document: &mut Value) {
    let mut used = BTreeSet::new();
    let mut waiting = Vec::new();
    collect(&document["paths"], &mut waiting);
    while let Some(pointer) = waiting.pop() {
        if let Some(component) = document.pointer(pointer.trim_start_matches('#'))
            && used.insert(pointer)
        {
            collect(component, &mut waiting);
        }
    }
    let Some(kinds) = document["components"].as_object_mut() else {
        return;
    };
    for (kind, components) in kinds.iter_mut() {
        // Schemes are named by `security`, not by a pointer.
        if let (Some(components), false) = (components.as_object_mut(), kind == "securitySchemes") {
            components.retain(|name, _| used.contains(&format!("#/components/{kind}/{name}")));
        }
    }
    kinds.retain(|_, components| components.as_object().is_some_and(|components| !components.is_empty()));
}

/// Every `$ref` inside `value`.
pub(super) fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(pointer)) = members.get("$ref") {
                into.push(pointer.clone());
            }
            members.values().for_each(|member| collect(member, into));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        _ => {}
    }
}
