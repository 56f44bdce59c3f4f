//! The stored access keys, as the `keys` commands and a server change them: other servers follow at once.

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error};

use super::address::PostgresUrl;
use super::prepare;
use super::server::Server;
use super::trouble::{Trouble, of_reading};
use crate::catalog::Catalog;
use crate::record::access_key::KeyEntry;
use crate::store::keys::{KeyRingError, NewKey};
use crate::store::{OpenError, StoreError};

/// A command is over before a second thread would help.
pub struct KeyTable {
    runtime: Runtime,
    client: Client,
}

impl KeyTable {
    pub(in crate::store) fn open(url: &PostgresUrl) -> Result<Self, OpenError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| OpenError::Unreachable(error.to_string()))?;
        let client = runtime.block_on(async {
            let (_, mut line) = Server::find(url, 0).await?;
            // The store is made where there is none; no collection is asked about.
            prepare::prepare(&mut line.client, &url.to_string(), &Catalog::default()).await?;
            Ok::<_, OpenError>(line.client)
        })?;
        Ok(Self { runtime, client })
    }

    pub(in crate::store) fn create(&mut self, key: NewKey<'_>) -> Result<String, KeyRingError> {
        self.runtime.block_on(create(&self.client, key))
    }

    pub(in crate::store) fn list(&self) -> Result<Vec<KeyEntry>, KeyRingError> {
        self.runtime.block_on(list(&self.client))
    }

    pub(in crate::store) fn revoke(&mut self, name: &str) -> Result<bool, KeyRingError> {
        self.runtime.block_on(revoke(&self.client, name))
    }
}

pub(super) async fn list(client: &Client) -> Result<Vec<KeyEntry>, KeyRingError> {
    let read = async {
        let text = "SELECT name, prefix, created, admin FROM _carnet_keys ORDER BY name";
        let rows = client.query(text, &[]).await?;
        let entries = rows.iter().map(|row| {
            Ok(KeyEntry {
                name: row.try_get(0)?,
                prefix: row.try_get(1)?,
                created: row.try_get(2)?,
                is_admin: row.try_get(3)?,
            })
        });
        entries.collect::<Result<Vec<_>, Error>>()
    };
    read.await.map_err(unread)
}

/// The database itself refuses what is there already; two who make keys at once may both look for a free name.
pub(super) async fn create(client: &Client, key: NewKey<'_>) -> Result<String, KeyRingError> {
    let hash = key.access_key.hash();
    let created = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let mut number = 1u64;
    loop {
        let holder = client
            .query_opt("SELECT name FROM _carnet_keys WHERE hash = $1", &[&hash.as_bytes()])
            .await
            .map_err(unread)?;
        if let Some(holder) = holder {
            return Err(KeyRingError::KeyInUse(holder.try_get(0).map_err(unread)?));
        }
        let chosen = key.name.map_or_else(|| format!("key-{number}"), |name| name.as_str().to_owned());
        let inserted = client
            .execute(
                "INSERT INTO _carnet_keys (name, hash, prefix, created, admin) VALUES ($1, $2, $3, $4, $5)",
                &[&chosen, &hash.as_bytes(), &key.access_key.prefix(), &created, &key.is_admin],
            )
            .await;
        match inserted {
            Ok(_) => return Ok(chosen),
            Err(error) if error.code() == Some(&SqlState::UNIQUE_VIOLATION) => match key.name {
                // Either this name, or this very key a moment ago, which the next round sees.
                Some(_) if is_taken(client, &chosen).await? => return Err(KeyRingError::NameInUse(chosen)),
                Some(_) => {}
                None => number += 1,
            },
            Err(error) => return Err(unwritten(error)),
        }
    }
}

pub(super) async fn revoke(client: &Client, name: &str) -> Result<bool, KeyRingError> {
    let revoked = client.execute("DELETE FROM _carnet_keys WHERE name = $1", &[&name]).await;
    revoked.map(|revoked| revoked > 0).map_err(unwritten)
}

async fn is_taken(client: &Client, name: &str) -> Result<bool, KeyRingError> {
    let found = client.query_opt("SELECT FROM _carnet_keys WHERE name = $1", &[&name]).await;
    found.map(|found| found.is_some()).map_err(unread)
}

fn unread(error: Error) -> KeyRingError {
    of_reading(&error).into()
}

/// A statement on its own is its own transaction: once it was sent, a line that breaks leaves its outcome unknown.
fn unwritten(error: Error) -> KeyRingError {
    StoreError::from(Trouble::of(&error, true)).into()
}
