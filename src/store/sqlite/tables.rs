//! Brings the stored tables in line with the catalog: looks at what is there, plans, and applies in one
//! transaction.
//!
//! The tables themselves are the record of what was declared before; there is no second copy to disagree.

mod schema_diff;
mod stored;

use rusqlite::Connection;

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::ident::quote;
use crate::store::migration::{MigrationPlan, Step, words};
use crate::store::schema_diff::{Stored, is_like};
use crate::store::sqlite::sql;
use stored::{Table, offenders};

/// The name of a table while it is being built anew.
const REBUILT: &str = "_carnet_rebuilt";

/// What would have to change, and what stands against it. Reads only.
pub(super) fn plan(connection: &Connection, catalog: &Catalog) -> rusqlite::Result<MigrationPlan> {
    let mut plan = MigrationPlan::default();
    let stored = names(connection)?;
    for collection in catalog.collections() {
        match Table::read(connection, collection.name())? {
            None => plan.steps.push(create(catalog, collection)),
            Some(table) => schema_diff::run(connection, catalog, collection, &table, &stored, &mut plan)?,
        }
    }
    for name in stored.iter().filter(|name| catalog.find(name).is_none()) {
        let renaming = renaming(connection, catalog, &stored, name)?;
        plan.note_undeclared(name, renaming);
    }
    Ok(plan)
}

/// The collection without records that an undeclared table may be, and how to make it that.
fn renaming<'a>(
    connection: &Connection,
    catalog: &'a Catalog,
    stored: &[String],
    name: &str,
) -> rusqlite::Result<Option<(&'a str, String)>> {
    let Some(table) = Table::read(connection, name)?.filter(Table::has_key) else { return Ok(None) };
    for collection in catalog.collections().iter().filter(|collection| is_like(collection, &table)) {
        let is_stored = stored.iter().any(|name| name == collection.name());
        if !is_stored || offenders(connection, collection.name(), "TRUE")?.1 == 0 {
            return Ok(Some((collection.name(), table.renaming_table(collection.name()))));
        }
    }
    Ok(None)
}

/// The tables that no collection is declared for, ours and SQLite's own left out.
pub(super) fn undeclared(connection: &Connection, catalog: &Catalog) -> rusqlite::Result<Vec<String>> {
    Ok(names(connection)?.into_iter().filter(|name| catalog.find(name).is_none()).collect())
}

/// All tables, ours and SQLite's own left out.
fn names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Runs the steps of a plan. The caller holds the transaction, with foreign keys switched off.
pub(super) fn apply(connection: &Connection, plan: &MigrationPlan) -> rusqlite::Result<()> {
    for statement in plan.steps.iter().flat_map(|step| &step.statements) {
        connection.execute_batch(statement)?;
    }
    Ok(())
}

fn create(catalog: &Catalog, collection: &Collection) -> Step {
    let mut statements = vec![sql::create_table(catalog, collection, collection.name())];
    statements.extend(sql::indexes(collection).iter().map(|index| sql::create_index(collection, index)));
    Step { words: words::create(collection), statements }
}

/// SQLite cannot change a column in place: the table is built anew beside the old one and takes its name.
/// The counter of given ids moves along, so that no id is ever given twice.
fn rebuild(catalog: &Catalog, collection: &Collection, table: &Table, words: &[String]) -> Step {
    let (name, rebuilt) = (quote(collection.name()), quote(REBUILT));
    let kept = collection.fields().iter().filter(|field| table.column(field.name()).is_some());
    let kept: Vec<String> =
        std::iter::once("id".to_owned()).chain(kept.map(|field| quote(field.name()))).collect();
    let kept = kept.join(", ");
    let mut statements = vec![
        sql::create_table(catalog, collection, REBUILT),
        format!("INSERT INTO {rebuilt} ({kept}) SELECT {kept} FROM {name} ORDER BY id"),
        format!("DELETE FROM sqlite_sequence WHERE name = '{REBUILT}'"),
        format!(
            "INSERT INTO sqlite_sequence (name, seq) SELECT '{REBUILT}', max(\
             coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{0}'), 0), \
             coalesce((SELECT max(id) FROM {name}), 0))",
            collection.name()
        ),
        format!("DROP TABLE {name}"),
        format!("ALTER TABLE {rebuilt} RENAME TO {name}"),
    ];
    statements.extend(sql::indexes(collection).iter().map(|index| sql::create_index(collection, index)));
    Step { words: words.join("; "), statements }
}
