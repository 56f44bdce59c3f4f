//! The files of a SQLite store, seen by another copy of SQLite, never while a server has them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::dump::Dump;
use crate::values::{BOTH, Collection, Values};

/// The endings of the files that belong to a database.
const ENDINGS: [&str; 4] = ["", "-wal", "-shm", "-journal"];

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

pub(crate) fn remove(path: &Path) -> anyhow::Result<()> {
    for ending in ENDINGS {
        match std::fs::remove_file(with(path, ending)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Copies the files without the shared memory, as a restart finds them.
pub(crate) fn copy(path: &Path, copy: &Path) -> anyhow::Result<()> {
    for ending in ["", "-wal", "-journal"] {
        let from = with(path, ending);
        if from.exists() {
            std::fs::copy(&from, with(copy, ending))
                .with_context(|| format!("cannot copy {}", from.display()))?;
        }
    }
    Ok(())
}

/// Looks at a copy of the files, so that a restart finds them as they were.
pub(crate) fn look(path: &Path, place: &Path) -> anyhow::Result<Dump> {
    remove(place)?;
    copy(path, place)?;
    let dump = open(place)?;
    remove(place)?;
    Ok(dump)
}

/// Opens a file, which recovers it, and reads everything. What SQLite itself finds wrong is a fault.
pub(crate) fn open(path: &Path) -> anyhow::Result<Dump> {
    let mut dump = Dump::default();
    if let Err(error) = read(path, &mut dump) {
        dump.faults.push(format!("CORRUPT: {error}"));
    }
    Ok(dump)
}

fn read(path: &Path, dump: &mut Dump) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    for (pragma, well) in [("integrity_check", Some("ok")), ("foreign_key_check", None)] {
        let mut statement = connection.prepare(&format!("PRAGMA {pragma}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let words: String = row.get_ref(0)?.as_str().map(str::to_owned).unwrap_or_default();
            if Some(words.as_str()) != well {
                dump.faults.push(format!("CORRUPT: {pragma} says {words:?}"));
            }
        }
    }
    let is_table = "SELECT count(*) FROM sqlite_schema WHERE name = 'users'";
    if connection.query_row(is_table, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(());
    }
    for collection in BOTH {
        let columns = match collection {
            Collection::Address => "id, country, city, street, number",
            Collection::Users => "id, first_name, last_name, address, note",
        };
        let mut statement = connection.prepare(&format!("SELECT {columns} FROM {}", collection.name()))?;
        let names: Vec<&str> = columns.split(", ").collect();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut record = serde_json::Map::new();
            for (place, name) in names.iter().enumerate() {
                let value: Value = match row.get_ref(place)? {
                    rusqlite::types::ValueRef::Integer(number) => json!(number),
                    rusqlite::types::ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
                    _ => Value::Null,
                };
                record.insert((*name).to_owned(), value);
            }
            dump.add(collection, Values::shown(collection, &Value::Object(record)));
        }
    }
    dump.references();
    Ok(())
}
