//! The only judge of a value that somebody gives: whether a field takes it.

use super::Value;
use crate::catalog::field::Field;
use crate::catalog::rule::Mismatch;

/// The value that JSON says, without `null`, if the field takes it. Without words where it is none of its kind.
pub fn from_json(field: &Field, json: &str) -> Result<Value, Option<Mismatch>> {
    let none = || if json.starts_with('"') { field.mismatch() } else { None };
    let value = Value::from_json(field.kind(), json).ok_or_else(none)?;
    if let Some(text) = value.text() {
        field.rules().check(&text)?;
    }
    Ok(value)
}

/// The value that a text in a file says, written as in a filter, if the field takes it.
pub fn from_text(field: &Field, text: &str) -> Result<Value, Option<Mismatch>> {
    let value = from_query(field, text)?;
    if let Some(text) = value.text() {
        field.rules().check(&text)?;
    }
    Ok(value)
}

/// The value that the text of a filter asks for, if the field can have it.
pub fn from_query(field: &Field, text: &str) -> Result<Value, Option<Mismatch>> {
    let none = || if field.kind().is_text() { None } else { field.mismatch() };
    let value = Value::from_query(field.kind(), text).ok_or_else(none)?;
    if let Some(text) = value.text() {
        field.rules().check_filter(&text)?;
    }
    Ok(value)
}
