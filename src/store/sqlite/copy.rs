//! A database file at either end of a copy: one transaction on a connection of its own.

mod aside;
mod served;
mod source;
mod target;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rusqlite::{Connection, params_from_iter};

use super::{kind, sql};
use crate::catalog::collection::Collection;
use crate::record::value::Cell;
use crate::store::copy::rows::{Packer, Sum};
use crate::store::copy::{CopyError, Outlet};
use crate::store::extract::Pass;
use crate::store::ident::{self, quote};
pub(in crate::store) use source::Source;
pub(in crate::store) use target::Target;

/// Whether two paths lead to one file.
pub(in crate::store) fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    one == other || identity(one).is_some_and(|found| identity(other) == Some(found))
}

/// Reads all records in ascending order of ids, as they travel.
fn read(
    connection: &Connection,
    place: &str,
    collection: &Collection,
    needs_unicode: bool,
    mut outlet: Outlet,
) -> Result<Sum, CopyError> {
    let failed = |error: rusqlite::Error| CopyError::failed(place, error);
    let (table, columns) = (quote(collection.name()), ident::columns(collection));
    let text = format!("SELECT id, {columns} FROM {table} ORDER BY id");
    let mut statement = connection.prepare(&text).map_err(failed)?;
    let mut found = statement.query([]).map_err(failed)?;
    let mut packer = Packer::default();
    while let Some(row) = found.next().map_err(failed)? {
        let id: i64 = row.get(0).map_err(failed)?;
        packer.begin(id, collection.fields().len());
        for (position, field) in collection.fields().iter().enumerate() {
            let stored = row.get_ref(position + 1).map_err(failed)?;
            let Some(cell) = kind::cell(stored, field.kind()) else {
                let (kind, field) = (stored.data_type(), field.name());
                let cause = format!("{field} of the record {id} of {} is {kind}", collection.name());
                return Err(CopyError::failed(place, cause));
            };
            if needs_unicode {
                kind::storable(cell).map_err(|what| CopyError::Unstorable {
                    collection: collection.name().to_owned(),
                    id,
                    field: field.name().to_owned(),
                    what,
                })?;
            }
            packer.push(cell);
        }
        if let Some(batch) = packer.full() {
            outlet.put(batch)?;
        }
    }
    if let Some(batch) = packer.rest() {
        outlet.put(batch)?;
    }
    Ok(outlet.sum())
}

/// Goes through what is extracted.
fn pass(connection: &Connection, place: &str, mut pass: Pass) -> Result<Pass, CopyError> {
    let failed = |error: rusqlite::Error| CopyError::failed(place, error);
    let extract = pass.extract.clone();
    let kinds = extract.kinds();
    let (text, values) = sql::extract(&extract);
    let mut statement = connection.prepare(&text).map_err(failed)?;
    let mut found = statement.query(params_from_iter(values.into_iter().map(kind::Bound))).map_err(failed)?;
    let mut goes_on = true;
    let mut spare = Vec::with_capacity(kinds.len());
    while goes_on && let Some(row) = found.next().map_err(failed)? {
        let mut cells = spare;
        for (at, &kind) in kinds.iter().enumerate() {
            cells.push(kind::lenient_cell(row.get_ref(at).map_err(failed)?, kind));
        }
        goes_on = pass.take(&cells).map_err(|cause| CopyError::failed(place, cause))?;
        pass.put()?;
        spare = emptied(cells);
    }
    Ok(pass)
}

/// The same room for the cells of another row: they live no longer than their row does.
fn emptied<'a>(mut cells: Vec<Cell<'_>>) -> Vec<Cell<'a>> {
    cells.clear();
    cells.into_iter().map(|_| Cell::Null).collect()
}

/// The largest id that was ever given.
fn counter(connection: &Connection, collection: &Collection) -> rusqlite::Result<i64> {
    let text = format!(
        "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = ?1), 0), \
         coalesce((SELECT max(id) FROM {}), 0))",
        quote(collection.name())
    );
    connection.query_row(&text, [collection.name()], |row| row.get(0))
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let text = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    connection.prepare_cached(text)?.exists([name])
}
