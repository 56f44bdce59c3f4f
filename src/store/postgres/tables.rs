//! Brings the stored tables in line with the catalog: looks at what is there, and plans.
//!
//! The tables themselves are the record of what was declared before; there is no second copy to disagree. Only the
//! schema that comes first on the search path is looked at.

mod adoption;
mod index_steps;
mod queries;
mod stored;

use std::pin::pin;

use futures_util::TryStreamExt;
use tokio_postgres::{Error, Transaction};

use super::indexes;
use super::{change_log, ddl, id_counter};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::ident::quote;
use crate::store::migration::{Conflict, MigrationPlan, NAMED_IDS, Step, words};
use crate::store::schema_diff::{self, Change, Differences, Question, Stored, differing, is_like};
use stored::{Relation, Table};

/// What would have to change, and what stands against it. Reads only.
pub(super) async fn plan(transaction: &Transaction<'_>, catalog: &Catalog) -> Result<MigrationPlan, Error> {
    let mut plan = MigrationPlan::default();
    let relations = stored::read(transaction).await?;
    let find = |name: &str| relations.iter().find(|relation| relation.name() == name);
    for collection in catalog.collections() {
        if stored::is_of_the_server(transaction, collection.name()).await? {
            plan.conflicts.push(taken(collection.name(), "PostgreSQL itself has a table of this name"));
            continue;
        }
        match find(collection.name()) {
            None => plan.steps.push(create(catalog, collection)),
            Some(Relation::Other { kind, .. }) => {
                plan.conflicts.push(taken(collection.name(), &format!("the database has a {kind} there")));
            }
            Some(Relation::Table(table)) if !table.has_key => {
                let name = collection.name();
                let (from, to) = (quote(name), quote(&ddl::short(format!("{name}_before"))));
                let remedy =
                    format!("use another database, or rename that table: ALTER TABLE {from} RENAME TO {to};");
                plan.conflicts.push(Conflict::without_key(name, "id bigint PRIMARY KEY", remedy));
            }
            Some(Relation::Table(table)) => {
                let is_stored = |target: &Collection| matches!(find(target.name()), Some(Relation::Table(table)) if table.has_key);
                compare(transaction, catalog, collection, table, is_stored, &mut plan).await?;
            }
        }
    }
    for relation in relations.iter().filter(|relation| relation.holds_rows()) {
        let name = relation.name();
        if name.starts_with('_') || catalog.find(name).is_some() {
            continue;
        }
        let renaming = match relation {
            Relation::Table(table) if table.has_key => {
                renaming(transaction, catalog, &relations, table).await?
            }
            _ => None,
        };
        plan.note_undeclared(name, renaming);
    }
    Ok(plan)
}

/// The collection without records that an undeclared table may be, and how to make it that.
async fn renaming<'a>(
    transaction: &Transaction<'_>,
    catalog: &'a Catalog,
    relations: &[Relation],
    table: &Table,
) -> Result<Option<(&'a str, String)>, Error> {
    for collection in catalog.collections().iter().filter(|collection| is_like(collection, table)) {
        let is_free = match relations.iter().find(|relation| relation.name() == collection.name()) {
            None => true,
            Some(Relation::Table(_)) => offenders(transaction, collection.name(), "TRUE").await?.1 == 0,
            Some(Relation::Other { .. }) => false,
        };
        if is_free {
            return Ok(Some((collection.name(), table.renaming_table(collection.name()))));
        }
    }
    Ok(None)
}

/// Runs the steps of a plan, in the caller's transaction.
pub(super) async fn apply(transaction: &Transaction<'_>, plan: &MigrationPlan) -> Result<(), Error> {
    for statement in plan.steps.iter().flat_map(|step| &step.statements) {
        transaction.batch_execute(statement).await?;
    }
    Ok(())
}

/// Builds in the caller's transaction what could be built while others write.
pub(super) async fn apply_builds(transaction: &Transaction<'_>, plan: &MigrationPlan) -> Result<(), Error> {
    for build in &plan.builds {
        transaction.batch_execute(&format!("DROP INDEX IF EXISTS {}", build.index)).await?;
        if let Some(create) = &build.create {
            transaction.batch_execute(create).await?;
        }
    }
    Ok(())
}

fn taken(name: &str, why: &str) -> Conflict {
    Conflict {
        message: format!("the collection {name} cannot have a table: {why}"),
        ids: Vec::new(),
        count: 0,
        remedy: "use another database, or give the collection another name".into(),
    }
}

fn create(catalog: &Catalog, collection: &Collection) -> Step {
    let indexes = indexes::indexes(collection).into_iter().flat_map(|index| index.parts);
    let statements = [ddl::create_table(catalog, collection)].into_iter();
    let statements =
        statements.chain(indexes.map(|part| part.create)).chain(change_log::triggers(collection));
    Step { words: words::create(collection), statements: statements.collect() }
}

async fn compare(
    transaction: &Transaction<'_>,
    catalog: &Catalog,
    collection: &Collection,
    table: &Table,
    is_stored: impl Fn(&Collection) -> bool,
    plan: &mut MigrationPlan,
) -> Result<(), Error> {
    let Differences { changes, mut questions, notes } =
        schema_diff::compare(catalog, collection, table, is_stored);
    questions.extend(adoption::question(collection, table));
    for question in questions {
        let (ids, count) = answer(transaction, collection.name(), &question).await?;
        plan.conflicts.extend(question.conflict(ids, count));
    }
    plan.notes.extend(notes);
    plan.steps.extend(adoption::step(collection, table));
    if table.is_counted {
        plan.steps.extend(id_counter::step(transaction, collection).await?);
    }
    for change in changes {
        let words = change.words(collection);
        plan.steps.push(Step { words, statements: statements(catalog, collection, table, &change) });
    }
    index_steps::put(transaction, collection, table, plan).await
}

fn statements(catalog: &Catalog, collection: &Collection, table: &Table, change: &Change<'_>) -> Vec<String> {
    let column = |name: &str, action: &str| {
        vec![ddl::alter(collection, &format!("ALTER COLUMN {} {action}", quote(name)))]
    };
    match change {
        Change::Add(field) => vec![ddl::add_column(catalog, collection, field)],
        Change::Require(field) => column(field.name(), "SET NOT NULL"),
        Change::Release(field) => column(field.name(), "DROP NOT NULL"),
        Change::Refer(field) => {
            let old = table.references_of(field.name()).map(|name| ddl::drop_constraint(collection, name));
            old.chain(ddl::add_reference(catalog, collection, field)).collect()
        }
        Change::Default(field) => {
            let action =
                ddl::default(field).map_or("DROP DEFAULT".into(), |default| format!("SET DEFAULT {default}"));
            column(field.name(), &action)
        }
        Change::Rules(field) => {
            let (missing, stale) = differing(table, field);
            let old = stale.iter().map(|name| ddl::drop_constraint(collection, name));
            let new = missing.iter().map(|rule| {
                ddl::add_check(collection, &table.rule_name(field.name(), rule), &rule.condition)
            });
            old.chain(new).collect()
        }
    }
}

/// The records that a question is about: the first ids, and how many there are.
async fn answer(
    transaction: &Transaction<'_>,
    table: &str,
    question: &Question,
) -> Result<(Vec<i64>, u64), Error> {
    let Some((column, format)) = &question.unless else {
        return offenders(transaction, table, &question.condition).await;
    };
    let text = format!("SELECT id, {column} FROM {} WHERE {} ORDER BY id", quote(table), question.condition);
    let mut rows = pin!(transaction.query_raw(&text, std::iter::empty::<i64>()).await?);
    let (mut ids, mut count) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        if format.accepts(row.try_get(1)?) {
            continue;
        }
        count += 1;
        if ids.len() < NAMED_IDS {
            ids.push(row.try_get(0)?);
        }
    }
    Ok((ids, count))
}

/// The records for which a condition holds: the first ids, and how many there are.
async fn offenders(
    transaction: &Transaction<'_>,
    table: &str,
    condition: &str,
) -> Result<(Vec<i64>, u64), Error> {
    let table = quote(table);
    let count = format!("SELECT count(*) FROM {table} WHERE {condition}");
    let count: i64 = transaction.query_one(&count, &[]).await?.get(0);
    let ids = format!("SELECT id FROM {table} WHERE {condition} ORDER BY id LIMIT {NAMED_IDS}");
    let ids = transaction.query(&ids, &[]).await?;
    Ok((ids.iter().map(|row| row.get(0)).collect(), count.unsigned_abs()))
}
