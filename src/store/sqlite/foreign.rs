//! What another tool has put into the database that acts when we write: triggers, and constraints that do something
//! else than refuse. Looked for at the start and whenever the schema has changed, so that where there is nothing of the
//! kind, which is nearly everywhere, nothing is paid for it.

use rusqlite::Connection;

use crate::catalog::Catalog;

/// Triggers that are not ours, and tables with clauses of their own.
const FIND: &str = "SELECT type, name, tbl_name, sql FROM sqlite_schema \
     WHERE (type = 'trigger' OR (type = 'table' AND (sql LIKE '%ON CONFLICT%' OR sql LIKE '%DEFERRED%'))) \
     AND sql IS NOT NULL AND name NOT LIKE '\\_carnet\\_%' ESCAPE '\\'";

/// What the database does of its own accord.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    /// The number of changes of the schema up to which this is known.
    schema: i64,
    /// What was found, in words.
    pub(super) found: Vec<String>,
    /// A write may be undone together with its whole transaction, and must not take others along.
    pub(super) may_roll_back: bool,
    /// Records may change that nobody wrote to.
    may_change_records: bool,
    /// Records may change without being counted.
    may_replace: bool,
}

impl Foreign {
    /// Looks, unless nothing can have changed since the last look; says whether it did. The caller holds a transaction.
    pub(super) fn look(&mut self, connection: &Connection, catalog: &Catalog) -> rusqlite::Result<bool> {
        let mut asked = connection.prepare_cached("PRAGMA schema_version")?;
        let schema: i64 = asked.query_row([], |row| row.get(0))?;
        if schema == self.schema {
            return Ok(false);
        }
        let mut foreign = Self { schema, ..Self::default() };
        let mut statement = connection.prepare(FIND)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
            let (table, text): (String, String) = (row.get(2)?, row.get(3)?);
            foreign.add(catalog, &kind, &name, &table, &text.to_ascii_lowercase());
        }
        *self = foreign;
        Ok(true)
    }

    fn add(&mut self, catalog: &Catalog, kind: &str, name: &str, table: &str, text: &str) {
        // Whatever is written in quotes is taken for what it might mean: too much care costs time, and nothing else.
        let names =
            |text: &str| catalog.collections().iter().any(|collection| text.contains(collection.name()));
        if kind == "trigger" {
            self.found.push(format!("the trigger {name} on {table}"));
            self.may_roll_back |= text.contains("rollback");
            // What stands before is the table that it is on.
            self.may_change_records |= text.split_once("begin").is_none_or(|(_, body)| names(body));
        } else if catalog.find(name).is_some() {
            self.found.push(format!("clauses of {name} that carnet does not write"));
            // A constraint that is judged at the commit fails all who share it.
            self.may_roll_back |= text.contains("rollback") || text.contains("deferred");
            self.may_replace |= text.contains("replace");
        }
    }

    /// Whether there is anything of the kind.
    pub(super) fn is_there(&self) -> bool {
        !self.found.is_empty()
    }

    /// Whether records may be other than we think, after so many rows were changed where fewer were meant to be.
    pub(super) fn has_interfered(&self, changed: u64, meant: u64) -> bool {
        self.may_replace || (self.may_change_records && changed > meant)
    }
}
