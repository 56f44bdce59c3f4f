//! One declared collection against its stored table, for SQLite: who is in the way, and which statements change it.

use rusqlite::Connection;

use super::kept;
use super::stored::{Table, answer, is_ours};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::ident::quote;
use crate::store::migration::{Conflict, MigrationPlan, Step, words};
use crate::store::schema_diff::{self, Change, Differences, Question, Stored};
use crate::store::sqlite::{kind, sql};

/// The name of a table while it is being built anew.
const REBUILT: &str = "_carnet_rebuilt";

/// Adds to the plan what the collection needs; `stored` are the tables that are there.
pub(super) fn run(
    connection: &Connection,
    catalog: &Catalog,
    collection: &Collection,
    table: &Table,
    stored: &[String],
    plan: &mut MigrationPlan,
) -> rusqlite::Result<()> {
    if !table.has_key() {
        let remedy = "use another database file, or rename that table";
        plan.conflicts.push(Conflict::without_key(collection.name(), "id INTEGER PRIMARY KEY", remedy));
        return Ok(());
    }
    let is_stored = |target: &Collection| stored.iter().any(|name| name == target.name());
    let Differences { changes, questions, notes } =
        schema_diff::compare(catalog, collection, table, is_stored);
    for question in questions {
        let (ids, count) = answer(connection, collection.name(), &question)?;
        plan.conflicts.extend(question.conflict(ids, count));
    }
    plan.notes.extend(notes);
    // What SQLite can only do by building the table anew, in words.
    let mut rebuilds: Vec<String> = Vec::new();
    if !table.has_form() {
        let name = collection.name();
        rebuilds.push(format!("build {name} anew: strict types, ids that are never used again"));
    }
    for change in changes {
        let words = change.words(collection);
        match change {
            Change::Add(field) => {
                let (name, column) = (quote(collection.name()), sql::column(catalog, field));
                let statements = vec![format!("ALTER TABLE {name} ADD COLUMN {column}")];
                plan.steps.push(Step { words, statements });
            }
            Change::Require(_)
            | Change::Release(_)
            | Change::Refer(_)
            | Change::Rules(_)
            | Change::Default(_) => rebuilds.push(words),
        }
    }
    let indexes = indexes(collection, table);
    if rebuilds.is_empty() {
        plan.steps.extend(indexes);
    } else {
        for question in strangers(collection, table) {
            let (ids, count) = answer(connection, collection.name(), &question)?;
            plan.conflicts.extend(question.conflict(ids, count));
        }
        // The new table has all its indexes; of these steps only the words are left to tell.
        rebuilds.extend(indexes.into_iter().map(|step| step.words));
        plan.steps.push(rebuild(catalog, collection, table, &rebuilds));
        plan.kept.extend(kept::find(collection, table));
    }
    Ok(())
}

/// Asks for values that the new table would not take: another tool may have stored them by an older SQLite, or with its
/// checks switched off.
fn strangers(collection: &Collection, table: &Table) -> impl Iterator<Item = Question> {
    let kept = collection.fields().iter().filter(|field| table.column(field.name()).is_some());
    kept.filter_map(|field| {
        let condition = kind::condition(field.kind(), &quote(field.name()))?;
        Some(Question {
            condition: format!("NOT ({condition})"),
            unless: None,
            message: format!(
                "the field {} of {} holds values that are no {}",
                field.name(),
                collection.name(),
                field.kind().name()
            ),
            remedy: "correct those records".into(),
            remedy_without: None,
        })
    })
}

/// SQLite cannot change a column in place: the table is built anew beside the old one and takes its name.
/// The counter of given ids moves along, so that no id is ever given twice.
fn rebuild(catalog: &Catalog, collection: &Collection, table: &Table, words: &[String]) -> Step {
    let (name, rebuilt) = (quote(collection.name()), quote(REBUILT));
    let kept = collection.fields().iter().filter(|field| table.column(field.name()).is_some());
    let others = table.others.iter().map(|(name, _)| quote(name));
    let kept = kept.map(|field| quote(field.name())).chain(others);
    let kept: Vec<String> = std::iter::once("id".to_owned()).chain(kept).collect();
    let kept = kept.join(", ");
    let mut statements = vec![sql::create_table(catalog, collection, REBUILT)];
    let others = table.others.iter();
    statements.extend(others.map(|(_, made_by)| format!("ALTER TABLE {rebuilt} ADD COLUMN {made_by}")));
    statements.extend([
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
    ]);
    statements.extend(sql::indexes(collection).iter().map(|index| sql::create_index(collection, index)));
    Step { words: words.join("; "), statements }
}

fn indexes(collection: &Collection, table: &Table) -> Vec<Step> {
    let mut steps = Vec::new();
    let wanted = sql::indexes(collection);
    for index in &wanted {
        let text = sql::create_index(collection, index);
        let stored = table.indexes.iter().find(|(name, _)| *name == index.name);
        if stored.is_some_and(|(_, stored)| stored.as_ref() == Some(&text)) {
            continue;
        }
        let old = stored.map(|_| format!("DROP INDEX {}", quote(&index.name)));
        let words = words::index(collection, &index.fields, index.is_unique);
        steps.push(Step { words, statements: old.into_iter().chain([text]).collect() });
    }
    for (stored, text) in &table.indexes {
        let is_wanted = wanted.iter().any(|index| index.name == *stored);
        if !is_wanted && is_ours(collection, stored, text.as_deref()) {
            let statements = vec![format!("DROP INDEX {}", quote(stored))];
            steps.push(Step { words: words::drop_index(collection, stored), statements });
        }
    }
    steps
}
