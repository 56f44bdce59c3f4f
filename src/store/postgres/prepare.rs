//! The start: whether the database is one that carnet can use, and its tables in line with the catalog, wholly or
//! not at all.

use std::time::{Duration, Instant};

use tokio_postgres::{Client, Error, Transaction};

use super::change_log::TAKE_TURN;
use super::migration_lock::{self, Tell};
use super::server_checks::ServerFacts;
use super::start_failure::{Failure, cause, explained, is_locked};
use super::undeclared_refs::UndeclaredRef;
use super::{audit, index_builds, rights, system_tables, tables};
use crate::catalog::Catalog;
use crate::store::OpenError;
use crate::store::audit::{Actor, Deed};
use crate::store::migration::MigrationPlan;

/// For how long a lock on a table is asked for again.
const PATIENCE: Duration = Duration::from_secs(30);
/// Who wants a lock on a whole table, and waits for one who reads it, keeps everybody else waiting behind: so it waits
/// shortly, lets them through, and tries again.
const SHORTLY: &str = "SET LOCAL lock_timeout = '1s'";
const PAUSE: Duration = Duration::from_millis(500);

/// What a start would change. Changes nothing, and takes no lock.
pub(super) async fn inspect(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
) -> Result<MigrationPlan, OpenError> {
    let outcome = async {
        let transaction = client.build_transaction().read_only(true).start().await?;
        ServerFacts::read(&transaction).await?.check(place)?;
        Ok(tables::plan(&transaction, catalog).await?)
    };
    let outcome: Result<MigrationPlan, Failure> = outcome.await;
    explained(client, place, catalog, outcome, false).await
}

/// Whether carnet has made its tables here. Changes nothing, and takes no lock.
pub(super) async fn has_store(client: &mut Client, place: &str) -> Result<bool, OpenError> {
    let outcome = async {
        let transaction = client.build_transaction().read_only(true).start().await?;
        let facts = ServerFacts::read(&transaction).await?;
        facts.check(place)?;
        match facts.format {
            None => Ok(false),
            Some(system_tables::FORMAT) => Ok(true),
            Some(_) => {
                let cause = "it was written by an older carnet; start this one on it once, which brings it up to date";
                Err(OpenError::Unusable { place: place.to_owned(), cause: cause.into() }.into())
            }
        }
    };
    let outcome: Result<bool, Failure> = outcome.await;
    explained(client, place, &Catalog::default(), outcome, false).await
}

/// Brings the tables in line with the catalog, and returns what was done for it. Where nothing has to be done, no
/// right to change tables is needed, nobody who writes is held up, and nobody who changes tables is waited for.
pub(super) async fn prepare(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
    tell: Tell<'_>,
) -> Result<MigrationPlan, OpenError> {
    let mut is_changing = false;
    let outcome = match in_line(client, place, catalog).await {
        Ok(None) => change(client, place, catalog, &mut is_changing, tell).await,
        Ok(Some(plan)) => Ok(plan),
        Err(failure) => Err(failure),
    };
    explained(client, place, catalog, outcome, is_changing).await
}

/// The tables that are not declared and refer to one that is.
pub(super) async fn undeclared_refs(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
) -> Result<Vec<UndeclaredRef>, OpenError> {
    let found = async {
        let transaction = client.transaction().await?;
        UndeclaredRef::find_all(&transaction, catalog).await
    };
    found.await.map_err(|error| OpenError::Unusable { place: place.to_owned(), cause: cause(&error) })
}

/// The plan, where it is empty.
async fn in_line(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
) -> Result<Option<MigrationPlan>, Failure> {
    let transaction = client.transaction().await?;
    let (facts, plan) = look(&transaction, place, catalog).await?;
    if !plan.steps.is_empty() || !facts.is_ours {
        return Ok(None);
    }
    check_rights(&transaction, place, catalog, &facts).await?;
    Ok(Some(plan))
}

async fn change(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
    is_changing: &mut bool,
    tell: Tell<'_>,
) -> Result<MigrationPlan, Failure> {
    migration_lock::begin(client, tell).await?;
    let began = Instant::now();
    let plan = loop {
        match attempt(client, place, catalog, is_changing).await {
            Err(Failure::Database(error)) if is_locked(&error) && began.elapsed() < PATIENCE => {
                tokio::time::sleep(PAUSE).await;
            }
            outcome => break outcome?,
        }
    };
    *is_changing = true;
    index_builds::run(client, &plan.builds, tell).await?;
    *is_changing = false;
    migration_lock::end(client).await?;
    Ok(plan)
}

async fn attempt(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
    is_changing: &mut bool,
) -> Result<MigrationPlan, Failure> {
    // Each statement sees what was committed before it, also by the node that was alone until now.
    let transaction = client.transaction().await?;
    let plan = bring_in_line(&transaction, place, catalog, is_changing).await?;
    transaction.commit().await?;
    Ok(plan)
}

/// Brings the tables in line with the catalog, in the transaction of a caller who holds the lock of migrations, but for
/// the indexes that are built afterwards. `is_changing` says of a failure whether it was about changing them.
pub(super) async fn bring_in_line(
    transaction: &Transaction<'_>,
    place: &str,
    catalog: &Catalog,
    is_changing: &mut bool,
) -> Result<MigrationPlan, Failure> {
    let (facts, plan) = look(transaction, place, catalog).await?;
    if !plan.steps.is_empty() || !facts.is_ours {
        *is_changing = true;
        // What writers do from the look to here may be in the way: the database says so, and `explained` looks again.
        hold_writers(transaction, &facts).await?;
        transaction.batch_execute(SHORTLY).await?;
        if !facts.is_ours {
            transaction.batch_execute(&system_tables::create(facts.check(place)?)).await?;
        }
        tables::apply(transaction, &plan).await?;
        // Before the indexes are built: the trail may name one that could not be, but misses none.
        for step in &plan.steps {
            audit::append(transaction, Deed::configured(&step.words), &Actor::start()).await?;
        }
        let missing = match plan.builds.is_empty() {
            true => Vec::new(),
            false => rights::to_change(transaction, catalog).await?,
        };
        if !missing.is_empty() {
            return Err(rights::forbidden(place, &facts.role, missing).into());
        }
        *is_changing = false;
    }
    check_rights(transaction, place, catalog, &facts).await?;
    Ok(plan)
}

/// What the server is, and what would have to change; an error where it will not do.
async fn look(
    transaction: &Transaction<'_>,
    place: &str,
    catalog: &Catalog,
) -> Result<(ServerFacts, MigrationPlan), Failure> {
    let facts = ServerFacts::read(transaction).await?;
    facts.check(place)?;
    facts.check_writable(place)?;
    let plan = planned(transaction, catalog).await?;
    Ok((facts, plan))
}

async fn check_rights(
    transaction: &Transaction<'_>,
    place: &str,
    catalog: &Catalog,
    facts: &ServerFacts,
) -> Result<(), Failure> {
    let missing = rights::to_serve(transaction, catalog).await?;
    match missing.is_empty() {
        true => Ok(()),
        false => Err(rights::forbidden(place, &facts.role, missing).into()),
    }
}

async fn planned(transaction: &Transaction<'_>, catalog: &Catalog) -> Result<MigrationPlan, Failure> {
    let plan = tables::plan(transaction, catalog).await?;
    match plan.conflicts.is_empty() {
        true => Ok(plan),
        false => Err(OpenError::Contradiction(plan.conflicts).into()),
    }
}

/// Our own writers take the turn first, and a table then. So do we: the other way round would be a deadlock. Versions
/// before took the row of the version for it.
async fn hold_writers(transaction: &Transaction<'_>, facts: &ServerFacts) -> Result<(), Error> {
    // A session that somebody forgot must not keep a node from starting without a word.
    transaction.batch_execute("SET LOCAL lock_timeout = '30s'").await?;
    if facts.format.is_some() {
        transaction.batch_execute("SELECT FROM _carnet_version FOR UPDATE").await?;
        transaction.batch_execute(TAKE_TURN).await?;
    }
    Ok(())
}
