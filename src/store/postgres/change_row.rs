//! A record as the log of changes has it: the row as JSON, written by the triggers.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::kind;
use crate::catalog::collection::Collection;
use crate::record::Value;

/// The values of the fields, in their order. `None` where the text is not what the triggers write.
pub(super) fn read(collection: &Collection, text: &str) -> Option<Vec<Value>> {
    let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).ok()?;
    let values = collection.fields().iter().map(|field| {
        match members.get(field.name()).map(|member| member.get()) {
            // A column that was added after the row was logged.
            None => Some(Value::default_of(field)),
            Some("null") => Some(Value::Null),
            Some(text) => kind::from_json(field.kind(), text),
        }
    });
    values.collect()
}
