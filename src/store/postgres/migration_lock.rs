//! The lock of migrations: nodes that start at once change tables one after the other.

use std::time::Duration;

use tokio_postgres::{Client, Error};

/// Tells the operator something.
pub(super) type Tell<'a> = &'a (dyn Fn(&str) + Sync);

/// How often to ask whether the other one is done.
const PAUSE: Duration = Duration::from_millis(100);
/// The lock that they take: "carm", and the number of the schema. Those of writers are in `change_log.rs`.
const LOCK: &str = "(x'6361726d'::bigint << 32) + coalesce(current_schema()::regnamespace::oid::bigint, 0)";

/// Waits until nobody else changes the tables of this schema; from then on nobody does until [`end`], or until the
/// connection ends. It asks again and again: a statement that waits in the database has a snapshot, and who builds an
/// index while others write waits for every snapshot, so that both would wait for each other.
pub(super) async fn begin(client: &Client, tell: Tell<'_>) -> Result<(), Error> {
    let text = format!("SELECT pg_try_advisory_lock({LOCK})");
    let mut is_told = false;
    while !client.query_one(&text, &[]).await?.try_get::<_, bool>(0)? {
        if !is_told {
            tell("another carnet is changing the tables; waiting until it is done");
            is_told = true;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Lets others change tables.
pub(super) async fn end(client: &Client) -> Result<(), Error> {
    client.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})")).await
}
