//! JSON lines: each is a record as a list shows it, byte for byte.

pub(super) mod read;

use std::convert::Infallible;

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::expansion::Expansion;
use crate::record::representation;
use crate::record::value::Cell;
use crate::store::extract::Row;

/// Appends the line of a record.
pub(super) fn line(
    catalog: &Catalog,
    collection: &Collection,
    expansion: Option<&Expansion>,
    row: &Row<'_>,
    out: &mut Vec<u8>,
) {
    record(collection, row.id, row.fields, out);
    if let Some(expansion) = expansion {
        let targets =
            expansion.fields.iter().filter_map(|&position| collection.fields()[position].reference());
        let referred = targets.zip(&row.referred).map(|(reference, referred)| {
            let (id, fields) = (*referred)?;
            let mut bytes = Vec::with_capacity(256);
            record(catalog.at(reference.target), id, fields, &mut bytes);
            Some(bytes)
        });
        let referred: Vec<Option<Vec<u8>>> = referred.collect();
        expansion.append(collection, referred.iter().map(Option::as_deref), out);
    }
    out.push(b'\n');
}

fn record(collection: &Collection, id: RecordId, fields: &[Cell<'_>], out: &mut Vec<u8>) {
    let Ok(()) =
        representation::write(out, collection, id, fields.iter().map(|cell| Ok::<_, Infallible>(*cell)));
}
