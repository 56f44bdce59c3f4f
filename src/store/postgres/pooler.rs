//! Whether a pooler is in between that lends connections for one transaction at a time, as PgBouncer does with
//! `pool_mode = transaction`. What a session sets or prepares there is another one's, and what others set is ours.

use std::time::Duration;

use tokio_postgres::{Client, Config, Error, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{self, Connected};
use super::refusal::{Cause, ConnectError};

/// Who has no free connection for the second one may let it wait.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connects, and refuses such a pooler by the backends that two connections meet. Nothing is set for that, which others
/// would find.
pub(super) async fn connect(config: &Config, tls: &MakeRustlsConnect) -> Result<Connected, ConnectError> {
    // At once: a server may hang up on who is idle, as long as nothing is set.
    let (first, second) = tokio::join!(connection::connect(config, tls), connection::connect(config, tls));
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        // A server that has one left is not refused for that: a command needs no second one.
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => return Ok(one),
        (Err(refused), Err(_)) => return Err(refused),
    };
    let outcome = tokio::time::timeout(PATIENCE, lends_transactions(&first.client, &second.client)).await;
    // Its place is to be free again for those that are opened next.
    drop(second.client);
    let _ = tokio::time::timeout(PATIENCE, second.alive.ended()).await;
    let cause = match outcome {
        Ok(Ok(false)) => return Ok(first),
        Ok(Ok(true)) => Cause::Pooler,
        Ok(Err(error)) => Cause::of(&error),
        Err(_) => Cause::TimedOut(PATIENCE),
    };
    Err(ConnectError::new(config, cause))
}

/// Whether a connection meets another backend than before while the other one holds one by a transaction, or both meet
/// the same. A pooler that lends the backend that was used last gives itself away by the second question, one that
/// takes them in turn by a later one.
async fn lends_transactions(first: &Client, second: &Client) -> Result<bool, Error> {
    let before = backend(second).await?;
    first.batch_execute("BEGIN").await?;
    let held = backend(first).await?;
    // One that has a single backend would let the second wait.
    let mut is_lent = held == before;
    if !is_lent {
        is_lent = backend(second).await? != before;
    }
    first.batch_execute("ROLLBACK").await?;
    Ok(is_lent || backend(first).await? != held)
}

/// Which backend answers; two servers may use the same number.
async fn backend(client: &Client) -> Result<Option<String>, Error> {
    let messages =
        client.simple_query("SELECT concat(pg_backend_pid(), ' ', pg_postmaster_start_time())").await?;
    Ok(messages.into_iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}
