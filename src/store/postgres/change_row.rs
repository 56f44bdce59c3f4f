//! A record as the log of changes has it: the row as JSON, written by the triggers.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::catalog::collection::Collection;
use crate::record::Value;

/// The values of the fields, in their order. `None` where the text is not what the triggers write.
pub(super) fn read(collection: &Collection, text: &str) -> Option<Vec<Value>> {
    let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).ok()?;
    let values = collection.fields().iter().map(|field| {
        let text = match members.get(field.name()) {
            // A column that was added after the row was logged.
            None => "null",
            Some(member) => member.get(),
        };
        if text == "null" { Some(Value::Null) } else { Value::from_json(field.kind(), text) }
    });
    values.collect()
}
