//! Brings the stored tables in line with the catalog: looks at what is there, plans, and applies in one
//! transaction.
//!
//! The tables themselves are the record of what was declared before; there is no second copy to disagree.

mod kept;
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

/// Those of them that have records, and how many. Of what a module keeps, which need not be here, nothing is said.
pub(super) fn undeclared_records(
    connection: &Connection,
    catalog: &Catalog,
) -> rusqlite::Result<Vec<(String, u64)>> {
    let is_plain = "SELECT count(*) FROM pragma_table_list(?1) WHERE schema = 'main' AND type = 'table'";
    let mut found = Vec::new();
    for name in undeclared(connection, catalog)? {
        if connection.query_row(is_plain, [&name], |row| row.get::<_, i64>(0))? == 0 {
            continue;
        }
        let count = format!("SELECT count(*) FROM {}", quote(&name));
        let records = connection.query_row(&count, [], |row| row.get::<_, i64>(0))?.unsigned_abs();
        if records > 0 {
            found.push((name, records));
        }
    }
    Ok(found)
}

/// All tables, ours and SQLite's own left out.
fn names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Runs the steps of a plan, and says what could not be kept of what other tools had made. The caller holds the
/// transaction, with foreign keys switched off.
pub(super) fn apply(connection: &Connection, plan: &MigrationPlan) -> rusqlite::Result<Vec<String>> {
    // A table that is built anew takes the name of one that was dropped. Views and triggers of other tools mention that
    // name, which SQLite would find missing for the moment, or change in them; so would it in references.
    connection.pragma_update(None, "legacy_alter_table", true)?;
    for statement in plan.steps.iter().flat_map(|step| &step.statements) {
        connection.execute_batch(statement)?;
    }
    connection.pragma_update(None, "legacy_alter_table", false)?;
    // Behind all steps: a trigger may mention any table.
    let lost = plan.kept.iter().map(|kept| kept::make(connection, kept));
    Ok(lost.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

fn create(catalog: &Catalog, collection: &Collection) -> Step {
    let mut statements = vec![sql::create_table(catalog, collection, collection.name())];
    statements.extend(sql::indexes(collection).iter().map(|index| sql::create_index(collection, index)));
    Step { words: words::create(collection), statements }
}
