//! Indexes of large tables, built while others write.

use tokio_postgres::{Client, Error};

use super::migration_lock::Tell;
use super::prepared_conn::SETTINGS;
use crate::store::migration::IndexBuild;

/// Builds and drops them one after the other. It takes its time, since PostgreSQL waits for everybody who began before,
/// but nobody waits for it.
pub(super) async fn run(client: &Client, builds: &[IndexBuild], tell: Tell<'_>) -> Result<(), Error> {
    if builds.is_empty() {
        return Ok(());
    }
    client.batch_execute("SET lock_timeout = 0").await?;
    for build in builds {
        if build.create.is_some() {
            tell(&format!(
                "building the index {} while others write; transactions that are open now are waited for",
                build.index
            ));
        }
        if let Err(error) = replace(client, build).await {
            // What is left of it would refuse writes like a whole one. If it cannot be dropped now, the next start does.
            let _ = client.batch_execute(&drop_statement(build)).await;
            return Err(error);
        }
    }
    client.batch_execute(SETTINGS).await
}

/// What has the name goes first: a build that was cut off leaves an index that serves nobody.
async fn replace(client: &Client, build: &IndexBuild) -> Result<(), Error> {
    client.batch_execute(&drop_statement(build)).await?;
    match &build.create {
        None => Ok(()),
        Some(create) => client.batch_execute(&create.replacen(" INDEX ", " INDEX CONCURRENTLY ", 1)).await,
    }
}

fn drop_statement(build: &IndexBuild) -> String {
    format!("DROP INDEX CONCURRENTLY IF EXISTS {}", build.index)
}
