//! The stored access keys, as the `keys` commands and a server change them: other servers follow at once.

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, Error, Row, Transaction};

use super::address::PostgresUrl;
use super::group_error::{GroupError, of_reading};
use super::prepared_conn::PreparedConn;
use super::server::Server;
use super::{audit, prepare};
use crate::catalog::Catalog;
use crate::record::access_key::{AccessKey, KeyEntry};
use crate::store::audit::{Actor, Deed, Trail};
use crate::store::keys::{KEY_COLUMNS, KeyAdminError, KeyRow, NewKey, Rotated, Rotation};
use crate::store::{OpenError, StoreError};

/// A command is over before a second thread would help.
pub struct KeyTable {
    runtime: Runtime,
    conn: Box<PreparedConn>,
}

impl KeyTable {
    /// The keys of a database, to read them; `None` where carnet has no tables. Nothing is changed or made.
    pub(in crate::store) fn inspect(url: &PostgresUrl) -> Result<Option<Self>, OpenError> {
        let runtime = runtime()?;
        let conn = runtime.block_on(async {
            let (_, mut conn) = Server::find(url, 0).await?;
            let is_there = prepare::has_store(&mut conn.client, &url.to_string()).await?;
            Ok::<_, OpenError>(is_there.then(|| Box::new(conn)))
        })?;
        Ok(conn.map(|conn| Self { runtime, conn }))
    }

    pub(in crate::store) fn open(url: &PostgresUrl) -> Result<Self, OpenError> {
        let runtime = runtime()?;
        let conn = runtime.block_on(async {
            let (_, mut conn) = Server::find(url, 0).await?;
            // The store is made where there is none; no collection is asked about.
            prepare::prepare(&mut conn.client, &url.to_string(), &Catalog::default()).await?;
            Ok::<_, OpenError>(Box::new(conn))
        })?;
        Ok(Self { runtime, conn })
    }

    pub(in crate::store) fn create(&mut self, key: &NewKey, by: &Actor) -> Result<String, KeyAdminError> {
        let create = async |client: &mut Client| create(client, key, by).await;
        self.runtime.block_on(confirmed(&mut self.conn, create))
    }

    pub(in crate::store) fn list(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        self.runtime.block_on(list(&self.conn.client))
    }

    pub(in crate::store) fn rotate(
        &mut self,
        rotation: &Rotation,
        by: &Actor,
    ) -> Result<Option<Rotated>, KeyAdminError> {
        let rotate = async |client: &mut Client| rotate(client, rotation, by).await;
        self.runtime.block_on(confirmed(&mut self.conn, rotate))
    }

    pub(in crate::store) fn revoke(&mut self, name: &str, by: &Actor) -> Result<bool, KeyAdminError> {
        let revoke = async |client: &mut Client| revoke(client, name, by).await;
        self.runtime.block_on(confirmed(&mut self.conn, revoke))
    }

    pub(in crate::store) fn trail(&self) -> Result<Trail, KeyAdminError> {
        self.runtime.block_on(audit::read(&self.conn.client)).map_err(unread)
    }
}

fn runtime() -> Result<Runtime, OpenError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| OpenError::Unreachable(error.to_string()))
}

/// Makes a change, and takes it for made only where the server commits without a warning: one that no standby has
/// yet could be undone by a failover.
pub(super) async fn confirmed<T>(
    conn: &mut PreparedConn,
    change: impl AsyncFnOnce(&mut Client) -> Result<T, KeyAdminError>,
) -> Result<T, KeyAdminError> {
    let warned = conn.alive.warnings();
    let changed = change(&mut conn.client).await?;
    if conn.alive.warnings() != warned {
        return Err(StoreError::OutcomeUnknown.into());
    }
    Ok(changed)
}

pub(super) async fn list(client: &Client) -> Result<Vec<KeyEntry>, KeyAdminError> {
    let read = async {
        let text = format!(
            "SELECT {KEY_COLUMNS}, (SELECT last_used FROM _carnet_key_uses u WHERE u.name = k.name) \
             FROM _carnet_keys k ORDER BY name"
        );
        let rows = client.query(&text, &[]).await?;
        let entries = rows.iter().map(|row| Ok(key(row, 0)?.entry(row.try_get(10)?)));
        entries.collect::<Result<Vec<_>, Error>>()
    };
    read.await.map_err(unread)
}

/// A key, from this column on.
pub(super) fn key(row: &Row, first: usize) -> Result<KeyRow, Error> {
    Ok(KeyRow {
        name: row.try_get(first)?,
        hash: row.try_get(first + 1)?,
        prefix: row.try_get(first + 2)?,
        created: row.try_get(first + 3)?,
        is_admin: row.try_get(first + 4)?,
        scopes: row.try_get(first + 5)?,
        expires: row.try_get(first + 6)?,
        previous_hash: row.try_get(first + 7)?,
        previous_until: row.try_get(first + 8)?,
        first_hash: row.try_get(first + 9)?,
    })
}

/// Stores a key as it is.
pub(super) async fn insert(transaction: &Transaction<'_>, row: &KeyRow) -> Result<(), Error> {
    let text =
        format!("INSERT INTO _carnet_keys ({KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    let KeyRow { name, hash, prefix, created, is_admin, scopes, .. } = row;
    let KeyRow { expires, previous_hash, previous_until, first_hash, .. } = row;
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 10] =
        [name, hash, prefix, created, is_admin, scopes, expires, previous_hash, previous_until, first_hash];
    transaction.execute(&text, &values).await?;
    Ok(())
}

pub(super) async fn create(client: &mut Client, key: &NewKey, by: &Actor) -> Result<String, KeyAdminError> {
    let transaction = begin(client).await?;
    refuse_known(&transaction, &key.access_key).await?;
    let name = match key.name.as_ref().map(|name| name.as_str()) {
        Some(name) if is_taken(&transaction, name).await? => {
            return Err(KeyAdminError::NameInUse(name.to_owned()));
        }
        Some(name) => name.to_owned(),
        None => free_name(&transaction).await?,
    };
    insert(&transaction, &key.row(name.clone())).await.map_err(undone)?;
    audit::append(&transaction, Deed::created(&name, key), by).await.map_err(undone)?;
    transaction.commit().await.map_err(unwritten)?;
    Ok(name)
}

pub(super) async fn rotate(
    client: &mut Client,
    rotation: &Rotation,
    by: &Actor,
) -> Result<Option<Rotated>, KeyAdminError> {
    let transaction = begin(client).await?;
    let text = format!("SELECT {KEY_COLUMNS} FROM _carnet_keys WHERE name = $1");
    let found = transaction.query_opt(&text, &[&rotation.name]).await.map_err(undone)?;
    let Some(found) = found else { return Ok(None) };
    refuse_known(&transaction, &rotation.access_key).await?;
    let (row, previous_until) = rotation.apply(key(&found, 0).map_err(undone)?)?;
    let text = "UPDATE _carnet_keys SET hash = $2, prefix = $3, previous_hash = $4, previous_until = $5, \
         first_hash = $6 WHERE name = $1";
    let KeyRow { name, hash, prefix, previous_hash, previous_until: until, first_hash, .. } = &row;
    let changed = transaction.execute(text, &[name, hash, prefix, previous_hash, until, first_hash]).await;
    changed.map_err(undone)?;
    audit::append(&transaction, Deed::rotated(&row), by).await.map_err(undone)?;
    transaction.commit().await.map_err(unwritten)?;
    Ok(Some(Rotated { previous_until }))
}

pub(super) async fn revoke(client: &mut Client, name: &str, by: &Actor) -> Result<bool, KeyAdminError> {
    let transaction = begin(client).await?;
    let revoked = transaction.execute("DELETE FROM _carnet_keys WHERE name = $1", &[&name]).await;
    if revoked.map_err(undone)? == 0 {
        return Ok(false);
    }
    audit::append(&transaction, Deed::revoked(name), by).await.map_err(undone)?;
    transaction.commit().await.map_err(unwritten)?;
    Ok(true)
}

/// Whoever changes anything takes the row of the version first: changes of keys come one after the other, and so do
/// the rows of the trail.
async fn begin(client: &mut Client) -> Result<Transaction<'_>, KeyAdminError> {
    let transaction = client.transaction().await.map_err(undone)?;
    let turn = transaction.batch_execute("SELECT FROM _carnet_version FOR NO KEY UPDATE").await;
    turn.map_err(undone)?;
    Ok(transaction)
}

/// A secret is one key's alone, be it the present or the one before.
async fn refuse_known(transaction: &Transaction<'_>, access_key: &AccessKey) -> Result<(), KeyAdminError> {
    let text = "SELECT name FROM _carnet_keys WHERE hash = $1 OR previous_hash = $1 OR first_hash = $1";
    let hash = access_key.hash();
    match transaction.query_opt(text, &[&hash.as_bytes()]).await.map_err(undone)? {
        Some(holder) => Err(KeyAdminError::KeyInUse(holder.try_get(0).map_err(undone)?)),
        None => Ok(()),
    }
}

async fn free_name(transaction: &Transaction<'_>) -> Result<String, KeyAdminError> {
    let mut number = 1u64;
    loop {
        let name = format!("key-{number}");
        if !is_taken(transaction, &name).await? {
            return Ok(name);
        }
        number += 1;
    }
}

async fn is_taken(transaction: &Transaction<'_>, name: &str) -> Result<bool, KeyAdminError> {
    let found = transaction.query_opt("SELECT FROM _carnet_keys WHERE name = $1", &[&name]).await;
    found.map(|found| found.is_some()).map_err(undone)
}

fn unread(error: Error) -> KeyAdminError {
    of_reading(&error).into()
}

/// Before the commit was sent, whatever fails leaves nothing behind.
fn undone(error: Error) -> KeyAdminError {
    StoreError::from(GroupError::of(&error, false)).into()
}

/// Once the commit was sent, a connection that breaks leaves its outcome unknown.
fn unwritten(error: Error) -> KeyAdminError {
    StoreError::from(GroupError::of(&error, true)).into()
}
