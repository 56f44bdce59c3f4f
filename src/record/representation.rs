//! A record as the bytes of its JSON: fields in declared order, `id` where shown, `ressource_uri`.
//!
//! Written straight into a buffer; no tree of values stands between the stored row and the answer.

use std::convert::Infallible;

use bytes::Bytes;

use super::value::Cell;
use super::{RecordId, Value};
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::catalog::name::{ID, RESSOURCE_URI};

/// The record's own path, `/<resource_name>/<id>/`.
pub fn path(collection: &Collection, id: RecordId) -> String {
    format!("/{}/{id}/", collection.name())
}

/// The id of the record that is at this path, if it is one of the collection.
pub fn id_of(collection: &Collection, own_path: &str) -> Option<RecordId> {
    let digits = own_path.strip_prefix('/')?.strip_prefix(collection.name())?.strip_prefix('/')?;
    RecordId::parse(digits.strip_suffix('/')?)
}

/// Appends the record to `out`; `cells` are in the order of the fields. The first that cannot be read ends it.
pub fn write<'a, E>(
    out: &mut Vec<u8>,
    collection: &Collection,
    id: RecordId,
    cells: impl Iterator<Item = Result<Cell<'a>, E>>,
) -> Result<(), E> {
    out.push(b'{');
    for (field, cell) in collection.fields().iter().zip(cells) {
        out.extend_from_slice(field.member().as_bytes());
        cell?.write(out);
        out.push(b',');
    }
    write_end(out, collection, collection.shows_id(), itoa::Buffer::new().format(id.get()).as_bytes());
    Ok(())
}

/// Appends what follows the fields of a record; `id` is in digits.
pub(super) fn write_end(out: &mut Vec<u8>, collection: &Collection, shows_id: bool, id: &[u8]) {
    if shows_id {
        out.push(b'"');
        out.extend_from_slice(ID.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(id);
        out.push(b',');
    }
    out.push(b'"');
    out.extend_from_slice(RESSOURCE_URI.as_bytes());
    out.extend_from_slice(b"\":\"/");
    out.extend_from_slice(collection.name().as_bytes());
    out.push(b'/');
    out.extend_from_slice(id);
    out.extend_from_slice(b"/\"}");
}

/// A record as bytes of its own.
pub fn of(collection: &Collection, id: RecordId, values: &[Value]) -> Bytes {
    let mut bytes = Vec::with_capacity(256);
    let Ok(()) =
        write(&mut bytes, collection, id, values.iter().map(|value| Ok::<_, Infallible>(value.cell())));
    bytes.into()
}

/// A value that a field would accept, as JSON.
pub fn example(field: &Field) -> String {
    json(&Value::from_query(field.kind(), &field.example()).unwrap_or(Value::Null))
}

/// What a field holds where a create leaves it out, as JSON.
pub fn default(field: &Field) -> Option<String> {
    field.default().map(|_| json(&Value::default_of(field)))
}

fn json(value: &Value) -> String {
    let mut json = Vec::new();
    value.cell().write(&mut json);
    String::from_utf8_lossy(&json).into_owned()
}

/// Appends an integer. The machinery of `write!` would take several times as long.
pub fn write_integer(out: &mut Vec<u8>, integer: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
}

/// Appends a JSON string, with nothing escaped that need not be.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    infallible(serde_json::to_writer(out, text));
}

/// Writing into a vector of bytes cannot fail; the type only does not say so.
pub(super) fn infallible<E>(result: Result<(), E>) {
    debug_assert!(result.is_ok(), "a vector takes all bytes");
}
