//! What is wrong with a database file: its pages, indexes and rules, references, counters of ids, the trail.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::{audit, connection};
use crate::catalog::Catalog;
use crate::store::copy::{Care, MOST_FAULTS};
use crate::store::ident::quote;

/// All that is found, in words, as the caller's transaction sees the file. SQLite stops at a hundred faults of pages.
pub(super) fn find(connection: &Connection, catalog: &Catalog, care: Care) -> rusqlite::Result<Vec<String>> {
    let look = match care {
        Care::Quick => "PRAGMA quick_check",
        Care::Thorough => "PRAGMA integrity_check",
    };
    let mut faults = said(connection, look)?;
    if !faults.is_empty() {
        // What stands on broken pages says nothing.
        return Ok(faults);
    }
    faults.extend(dangling(connection)?);
    for collection in catalog.collections() {
        faults.extend(counter_behind(connection, collection.name())?);
    }
    faults.extend(audit::read_within(connection)?.fault());
    Ok(faults)
}

/// What is wrong with the pages of a file that may not even be opened for a closer look.
pub(in crate::store) fn of_pages(path: &Path) -> Vec<String> {
    let looked =
        connection::open_as_it_is(path).and_then(|connection| said(&connection, "PRAGMA quick_check"));
    match looked {
        Ok(faults) => faults,
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            vec![error.to_string()]
        }
        // What kept us from looking is no fault of the file.
        Err(_) => Vec::new(),
    }
}

/// What SQLite finds. It puts several faults of pages into one row, under a line that says where.
fn said(connection: &Connection, look: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(look)?;
    let rows: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let lines = rows.iter().flat_map(|row| row.lines());
    Ok(lines.filter(|line| *line != "ok" && !line.starts_with("***")).map(str::to_owned).collect())
}

/// SQLite lets other tools switch foreign keys off.
fn dangling(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let found = statement.query_map([], |row| {
        let (table, id, target): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(format!("the record {} of {table} refers to no record of {target}", id.unwrap_or_default()))
    })?;
    found.take(MOST_FAULTS).collect()
}

/// A counter that is behind would give an id a second time.
fn counter_behind(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    if !connection.table_exists(None, name)? {
        return Ok(None);
    }
    let text = format!(
        "SELECT coalesce((SELECT max(id) FROM {}), 0), \
         coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = ?1), 0)",
        quote(name)
    );
    let (largest, counted): (i64, i64) =
        connection.query_row(&text, [name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let words = || format!("the counter of ids of {name} is at {counted}, behind the record {largest}");
    Ok((largest > counted).then(words))
}
