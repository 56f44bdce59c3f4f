//! The start: whether the database is one that carnet can use, and its tables in line with the catalog, wholly or
//! not at all.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Transaction};

use super::change_log::TAKE_TURN;
use super::server_checks::ServerFacts;
use super::undeclared_refs::UndeclaredRef;
use super::{audit, rights, system_tables, tables};
use crate::catalog::Catalog;
use crate::store::OpenError;
use crate::store::audit::{Actor, Deed};
use crate::store::migration::MigrationPlan;

/// Nodes that start at once prepare one after the other: "carn".
const ADVISORY_LOCK: i64 = 0x6361_726e;

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
/// right to change tables is needed, and nobody who writes is held up.
pub(super) async fn prepare(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
) -> Result<MigrationPlan, OpenError> {
    let mut is_changing = false;
    let outcome = attempt(client, place, catalog, &mut is_changing).await;
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

async fn attempt(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
    is_changing: &mut bool,
) -> Result<MigrationPlan, Failure> {
    // Each statement sees what was committed before it, also by the node that had the lock until now.
    let transaction = client.transaction().await?;
    let plan = bring_in_line(&transaction, place, catalog, is_changing).await?;
    transaction.commit().await?;
    Ok(plan)
}

/// Brings the tables in line with the catalog, in the caller's transaction. `is_changing` says of a failure whether it
/// was about changing them.
pub(super) async fn bring_in_line(
    transaction: &Transaction<'_>,
    place: &str,
    catalog: &Catalog,
    is_changing: &mut bool,
) -> Result<MigrationPlan, Failure> {
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&ADVISORY_LOCK]).await?;
    let facts = ServerFacts::read(transaction).await?;
    let schema = facts.check(place)?;
    facts.check_writable(place)?;
    let mut plan = planned(transaction, catalog).await?;
    if !plan.steps.is_empty() || !facts.is_ours {
        *is_changing = true;
        hold_writers(transaction, &facts).await?;
        // Once more, now that nobody writes.
        plan = planned(transaction, catalog).await?;
        if !facts.is_ours {
            transaction.batch_execute(&system_tables::create(schema)).await?;
        }
        tables::apply(transaction, &plan).await?;
        for step in &plan.steps {
            audit::append(transaction, Deed::configured(&step.words), &Actor::start()).await?;
        }
        *is_changing = false;
    }
    let missing = rights::to_serve(transaction, catalog).await?;
    if !missing.is_empty() {
        return Err(rights::forbidden(place, &facts.role, missing).into());
    }
    Ok(plan)
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

/// Why an attempt failed: in words already, or in those of the database.
pub(super) enum Failure {
    Open(OpenError),
    Database(Error),
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Self::Open(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// An error of the database, in words. For a right that is missing, the database is asked which: its own message
/// is in its own language, and names no remedy.
pub(super) async fn explained<T>(
    client: &mut Client,
    place: &str,
    catalog: &Catalog,
    outcome: Result<T, Failure>,
    is_changing: bool,
) -> Result<T, OpenError> {
    let error = match outcome {
        Ok(value) => return Ok(value),
        Err(Failure::Open(error)) => return Err(error),
        Err(Failure::Database(error)) => error,
    };
    let place_of = |cause| OpenError::Unusable { place: place.to_owned(), cause };
    match error.code() {
        Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            let missing = missing(client, catalog, is_changing).await;
            match missing {
                Ok((role, missing)) if !missing.is_empty() => Err(rights::forbidden(place, &role, missing)),
                _ => Err(place_of(cause(&error))),
            }
        }
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => Err(place_of(
            "its tables must change, and a transaction elsewhere has them locked; end that one first".into(),
        )),
        _ => Err(place_of(cause(&error))),
    }
}

async fn missing(
    client: &mut Client,
    catalog: &Catalog,
    is_changing: bool,
) -> Result<(String, Vec<rights::Missing>), Error> {
    let transaction = client.transaction().await?;
    let role = transaction.query_one("SELECT current_user::text", &[]).await?.get(0);
    let mut missing = Vec::new();
    if is_changing {
        missing = rights::to_change(&transaction, catalog).await?;
    }
    if missing.is_empty() {
        missing = rights::to_serve(&transaction, catalog).await?;
    }
    Ok((role, missing))
}

/// What the database says; the driver's own text would only be "db error".
pub(super) fn cause(error: &Error) -> String {
    match error.as_db_error() {
        None => error.to_string(),
        Some(said) => match said.detail() {
            None => said.message().to_owned(),
            Some(detail) => format!("{} ({detail})", said.message()),
        },
    }
}
