//! Access keys in the database: what reads and changes their table, for the commands and for a server. The table itself
//! is made by `system_tables.rs`.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_postgres::{Error, Row, Transaction};

use super::address::PostgresUrl;
use super::change_log::TAKE_TURN;
use super::group_error::{GroupError, of_reading};
use super::prepared_conn::{Parameter, PreparedConn};
use super::server::Server;
use super::{audit, prepare};
use crate::catalog::Catalog;
use crate::record::access_key::{KeyEntry, KeyHash};
use crate::store::audit::{Actor, Deed, Trail};
use crate::store::keys::{Changed, Edit, KEY_COLUMNS, KeyAdminError, KeyChange, KeyRow};
use crate::store::{OpenError, StoreError};

/// How long a server waits for the database, and for those who use the connection before.
const KEYS_TIMEOUT: Duration = Duration::from_secs(12);

/// The stored keys, on a connection of their own.
pub struct KeyTable {
    pub(super) conn: PreparedConn,
}

impl KeyTable {
    /// The keys of a database, to read them; `None` where carnet has no tables. Nothing is changed or made.
    pub(in crate::store) async fn inspect(url: &PostgresUrl) -> Result<Option<Self>, OpenError> {
        let (_, mut conn) = Server::find(url, None).await?;
        let is_there = prepare::has_store(&mut conn.client, &url.to_string()).await?;
        Ok(is_there.then_some(Self { conn }))
    }

    pub(in crate::store) async fn open(url: &PostgresUrl) -> Result<Self, OpenError> {
        let (_, mut conn) = Server::find(url, None).await?;
        // The store is made where there is none; no collection is asked about.
        prepare::prepare(&mut conn.client, &url.to_string(), &Catalog::default(), &|_| ()).await?;
        Ok(Self { conn })
    }

    pub(in crate::store) async fn list(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        let read = async {
            let text = format!(
                "SELECT {KEY_COLUMNS}, (SELECT last_used FROM _carnet_key_uses u WHERE u.name = k.name) \
                 FROM _carnet_keys k ORDER BY name"
            );
            let rows = self.conn.client.query(&text, &[]).await?;
            let entries = rows.iter().map(|row| Ok(key(row, 0)?.entry(row.try_get(10)?)));
            entries.collect::<Result<Vec<_>, Error>>()
        };
        read.await.map_err(unread)
    }

    /// Makes a change, and takes it for made only where the server commits without a warning: one that no standby has
    /// yet could be undone by a failover.
    pub(in crate::store) async fn change(
        &mut self,
        change: &KeyChange,
        by: &Actor,
    ) -> Result<Changed, KeyAdminError> {
        let warned = self.conn.alive.warnings();
        let transaction = self.conn.client.transaction().await.map_err(undone)?;
        // Whoever writes takes the turn first: changes of keys come one after the other, and so do the rows of the
        // trail; and no write of a node meets a change of the keys that it was judged by.
        let turn = transaction.batch_execute(TAKE_TURN).await;
        turn.map_err(undone)?;
        let (edit, deed, changed) = change.apply(&find(&transaction, change).await.map_err(undone)?)?;
        write(&transaction, &edit).await.map_err(undone)?;
        audit::append(&transaction, deed, by).await.map_err(undone)?;
        transaction.commit().await.map_err(unwritten)?;
        if self.conn.alive.warnings() != warned {
            return Err(StoreError::OutcomeUnknown.into());
        }
        Ok(changed)
    }

    /// Adds to the trail what changes nothing.
    async fn note(&mut self, deed: Deed, by: &Actor) -> Result<(), KeyAdminError> {
        let transaction = self.conn.client.transaction().await.map_err(undone)?;
        transaction.batch_execute(TAKE_TURN).await.map_err(undone)?;
        audit::append(&transaction, deed, by).await.map_err(undone)?;
        transaction.commit().await.map_err(unwritten)
    }

    pub(in crate::store) async fn trail(&self) -> Result<Trail, KeyAdminError> {
        audit::read(&self.conn.client).await.map_err(unread)
    }
}

/// The stored keys for a server: one connection, opened when it is first needed, which one after the other uses. It may
/// wait for the writers, and nobody but those who change keys should wait behind it.
#[derive(Default)]
pub(super) struct SharedKeyTable(Mutex<Option<KeyTable>>);

impl SharedKeyTable {
    pub(super) async fn list(&self, server: &Server) -> Result<Vec<KeyEntry>, KeyAdminError> {
        self.with(server, StoreError::Unavailable, async |table| table.list().await).await
    }

    /// One change, judged as a write is: an answer that comes too late leaves it unknown.
    pub(super) async fn change(
        &self,
        server: &Server,
        change: &KeyChange,
        by: &Actor,
    ) -> Result<Changed, KeyAdminError> {
        self.with(server, StoreError::OutcomeUnknown, async |table| table.change(change, by).await).await
    }

    pub(super) async fn note(&self, server: &Server, deed: Deed, by: Actor) -> Result<(), KeyAdminError> {
        self.with(server, StoreError::OutcomeUnknown, async |table| table.note(deed, &by).await).await
    }

    /// Works on the keys; `late` says what it means that no answer comes in time.
    pub(super) async fn with<T>(
        &self,
        server: &Server,
        late: StoreError,
        work: impl AsyncFnOnce(&mut KeyTable) -> Result<T, KeyAdminError>,
    ) -> Result<T, KeyAdminError> {
        let turn = timeout(KEYS_TIMEOUT, self.0.lock()).await;
        let mut place = turn.map_err(|_| StoreError::Unavailable)?;
        let mut table = match place.take().filter(|table| table.conn.alive.is_alive()) {
            Some(table) => table,
            None => KeyTable { conn: server.conn().await.map_err(|_| StoreError::Unavailable)? },
        };
        let done = timeout(KEYS_TIMEOUT, work(&mut table)).await.map_err(|_| late)?;
        // Not reached where no answer came: a connection whose last answer was not read is never used again.
        *place = Some(table);
        done
    }
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
    let values: [Parameter<'_>; 10] =
        [name, hash, prefix, created, is_admin, scopes, expires, previous_hash, previous_until, first_hash];
    transaction.execute(&text, &values).await?;
    Ok(())
}

/// The keys that a change needs to know of.
async fn find(transaction: &Transaction<'_>, change: &KeyChange) -> Result<Vec<KeyRow>, Error> {
    let text = format!(
        "SELECT {KEY_COLUMNS} FROM _carnet_keys WHERE name = $1 OR ($1 IS NULL AND name LIKE 'key-%') \
         OR hash = $2 OR previous_hash = $2 OR first_hash = $2"
    );
    let hash = change.hash();
    let rows = transaction.query(&text, &[&change.name(), &hash.as_ref().map(KeyHash::as_bytes)]).await?;
    rows.iter().map(|row| key(row, 0)).collect()
}

async fn write(transaction: &Transaction<'_>, edit: &Edit) -> Result<(), Error> {
    match edit {
        Edit::Insert(row) => insert(transaction, row).await,
        Edit::Update(KeyRow { name, hash, prefix, previous_hash, previous_until, first_hash, .. }) => {
            let text = "UPDATE _carnet_keys SET hash = $2, prefix = $3, previous_hash = $4, \
                 previous_until = $5, first_hash = $6 WHERE name = $1";
            let secrets: [Parameter<'_>; 6] = [name, hash, prefix, previous_hash, previous_until, first_hash];
            transaction.execute(text, &secrets).await.map(|_| ())
        }
        Edit::Delete(name) => {
            transaction.execute("DELETE FROM _carnet_keys WHERE name = $1", &[name]).await.map(|_| ())
        }
    }
}

pub(super) fn unread(error: Error) -> KeyAdminError {
    of_reading(&error).into()
}

/// Before the commit was sent, whatever fails leaves nothing behind.
pub(super) fn undone(error: Error) -> KeyAdminError {
    StoreError::from(GroupError::of(&error, false)).into()
}

/// Once the commit was sent, a connection that breaks leaves its outcome unknown.
pub(super) fn unwritten(error: Error) -> KeyAdminError {
    StoreError::from(GroupError::of(&error, true)).into()
}
