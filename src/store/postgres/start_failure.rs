//! Why a start failed, in words that say what to do.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};

use super::{rights, tables};
use crate::catalog::Catalog;
use crate::store::OpenError;
use crate::store::migration::Conflict;

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
        // Somebody wrote what contradicts the catalog after it was looked for.
        Some(code) if code.code().starts_with("23") => match conflicts(client, catalog).await {
            Ok(conflicts) if !conflicts.is_empty() => Err(OpenError::Contradiction(conflicts)),
            _ => Err(place_of(cause(&error))),
        },
        Some(_) if is_locked(&error) => Err(place_of(
            "its tables must change, and a transaction elsewhere has them locked; end that one first".into(),
        )),
        _ => Err(place_of(cause(&error))),
    }
}

async fn conflicts(client: &mut Client, catalog: &Catalog) -> Result<Vec<Conflict>, Error> {
    let transaction = client.build_transaction().read_only(true).start().await?;
    Ok(tables::plan(&transaction, catalog).await?.conflicts)
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

/// Whether somebody else had a lock for too long.
pub(super) fn is_locked(error: &Error) -> bool {
    error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE)
}
