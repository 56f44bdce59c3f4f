//! The values of several writes as the arrays that one statement takes.

use super::kind;
pub(super) use super::kind::BoxedValue as Bound;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value};
use crate::store::write::Write;

/// What the statement for updates of the same fields takes: the ids, and the values of each field.
pub(super) fn updates<'f>(
    collection: &Collection,
    changes: &[(RecordId, &'f [(usize, Value)])],
) -> Vec<Bound<'f>> {
    let ids: Vec<i64> = changes.iter().map(|(id, _)| id.get()).collect();
    let mut parameters: Vec<Bound<'f>> = vec![Box::new(ids)];
    let positions =
        changes.first().map_or(&[][..], |(_, given)| *given).iter().map(|(position, _)| *position);
    for (place, position) in positions.enumerate() {
        let values = changes.iter().map(move |(_, given)| &given[place].1);
        parameters.push(kind::array(collection.fields()[position].kind(), values));
    }
    parameters
}

/// The records that deletes are about.
pub(super) fn ids<'f>(writes: &[&Write]) -> Bound<'f> {
    let ids = writes.iter().filter_map(|&write| match write {
        Write::Delete { id, .. } => Some(id.get()),
        Write::Insert { .. } | Write::Update { .. } | Write::Upsert { .. } => None,
    });
    Box::new(ids.collect::<Vec<i64>>())
}
