//! The indexes of a stored table against those that its collection wants.

use tokio_postgres::{Error, Transaction};

use super::stored::{StoredIndex, Table};
use crate::catalog::collection::Collection;
use crate::store::ident::quote;
use crate::store::migration::{IndexBuild, MigrationPlan, Step, words};
use crate::store::postgres::ddl;
use crate::store::postgres::indexes::{self, Index, Part};

/// A smaller table gets an index in the time of a few writes, so that nobody need be let through meanwhile, and all
/// steps are one transaction. In bytes.
const LARGE: i64 = 1 << 20;

/// Puts what must change into the plan. The indexes of a large table are built while others write.
pub(super) async fn put(
    transaction: &Transaction<'_>,
    collection: &Collection,
    table: &Table,
    plan: &mut MigrationPlan,
) -> Result<(), Error> {
    let wanted = indexes::indexes(collection);
    let missing: Vec<&Index> =
        wanted.iter().filter(|index| index.parts.iter().any(|part| !table.has_index(part))).collect();
    let is_large = !missing.is_empty() && size(transaction, collection).await? >= LARGE;
    for index in missing {
        let mut statements = Vec::new();
        for part in index.parts.iter().filter(|part| !table.has_index(part)) {
            let old = table.indexes.iter().find(|stored| stored.name == part.name);
            // PostgreSQL has no such way for a constraint.
            if is_large && !part.shape.is_exclusion {
                statements.extend(old.filter(|old| old.is_constraint).map(|old| drop_index(collection, old)));
                plan.builds.push(IndexBuild { index: quote(&part.name), create: Some(part.create.clone()) });
            } else {
                statements.extend(old.map(|old| drop_index(collection, old)));
                statements.push(part.create.clone());
            }
        }
        let words = words::index(collection, &index.fields, index.is_unique);
        plan.steps.push(Step { words, statements });
    }
    let parts: Vec<&Part> = wanted.iter().flat_map(|index| &index.parts).collect();
    put_drops(collection, table, &parts, is_large, plan);
    Ok(())
}

/// What is no longer wanted. Where others are built instead, it serves until they are there.
fn put_drops(
    collection: &Collection,
    table: &Table,
    parts: &[&Part],
    is_large: bool,
    plan: &mut MigrationPlan,
) {
    let mut steps: Vec<Step> = Vec::new();
    let is_wanted = |name: &str| parts.iter().any(|part| part.name == name);
    for stored in &table.indexes {
        let is_ours = indexes::is_ours(collection, &stored.name) || parts.iter().any(|part| stored.was(part));
        if stored.is_key || !is_ours || is_wanted(&stored.name) {
            continue;
        }
        let whole = stored.whole(collection);
        let gone = if is_wanted(&whole) { &stored.name } else { &whole };
        let words = words::drop_index(collection, gone);
        let mut statements = Vec::new();
        if is_large && !stored.is_constraint {
            plan.builds.push(IndexBuild { index: quote(&stored.name), create: None });
        } else {
            statements.push(drop_index(collection, stored));
        }
        match steps.iter_mut().find(|step| step.words == words) {
            Some(step) => step.statements.extend(statements),
            None => steps.push(Step { words, statements }),
        }
    }
    plan.steps.extend(steps);
}

fn drop_index(collection: &Collection, stored: &StoredIndex) -> String {
    match stored.is_constraint {
        true => ddl::drop_constraint(collection, &stored.name),
        false => format!("DROP INDEX {}", quote(&stored.name)),
    }
}

/// How much a table holds, with its long values and without its indexes.
async fn size(transaction: &Transaction<'_>, collection: &Collection) -> Result<i64, Error> {
    let text = "SELECT pg_table_size($1::text::regclass)";
    transaction.query_one(text, &[&quote(collection.name())]).await?.try_get(0)
}
