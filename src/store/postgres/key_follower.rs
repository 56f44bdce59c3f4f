//! Access keys in the database: a server's view of them, and the changes that it makes itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use tokio::time::timeout;
use tokio_postgres::{Client, Error};

use super::key_table;
use super::prepared_conn::PreparedConn;
use super::session::Session;
use crate::observe::{Event, Observer};
use crate::record::access_key::KeyEntry;
use crate::store::StoreError;
use crate::store::audit::Actor;
use crate::store::keys::{KEY_COLUMNS, KeyAdminError, KeySet, NewKey, Rotated, Rotation, Use};

/// How long a server is waited for that does not answer.
const KEY_CHANGE_TIMEOUT: Duration = Duration::from_secs(12);

/// What a server knows of the stored keys.
pub(super) struct KeyFollower {
    current: ArcSwap<KeySet>,
    /// The number of changes that led to them; none yet: -1.
    seen: AtomicI64,
    observer: Arc<Observer>,
}

impl KeyFollower {
    pub(super) fn new(observer: Arc<Observer>) -> Self {
        Self { current: ArcSwap::from_pointee(KeySet::default()), seen: AtomicI64::new(-1), observer }
    }

    pub(super) fn current(&self) -> Guard<Arc<KeySet>> {
        self.current.load()
    }

    /// Reads the keys anew where their number of changes is another one than was seen.
    pub(super) async fn follow(&self, conn: &PreparedConn, changes: i64) -> Result<(), Error> {
        if self.seen.load(Ordering::Acquire) == changes {
            return Ok(());
        }
        // One statement: keys and number are of one moment.
        let text =
            format!("SELECT v.keys, {KEY_COLUMNS} FROM _carnet_version v LEFT JOIN _carnet_keys k ON TRUE");
        let rows = conn.query(&text, &[]).await?;
        let mut keys = Vec::with_capacity(rows.len());
        for row in &rows {
            if row.try_get::<_, Option<&str>>(1)?.is_some() {
                keys.push(key_table::key(row, 1)?);
            }
        }
        let changes = rows.first().map_or(Ok(changes), |row| row.try_get(0))?;
        let was_known = self.seen.swap(changes, Ordering::AcqRel) >= 0;
        if was_known {
            self.observer.report(Event::KeysReloaded { keys: keys.len() });
        }
        let keys = KeySet::new(keys, &self.current.load());
        self.current.store(Arc::new(keys));
        Ok(())
    }

    /// Writes when keys were last used. A key that is gone meanwhile has no uses.
    pub(super) async fn write_uses(&self, conn: &PreparedConn) -> Result<(), Error> {
        let uses = self.current.load().uses();
        if uses.is_empty() {
            return Ok(());
        }
        let text = "INSERT INTO _carnet_key_uses (name, last_used) \
             SELECT k.name, u.at FROM unnest($1::text[], $2::text[]) AS u (name, at) JOIN _carnet_keys k ON k.name = u.name \
             ORDER BY k.name \
             ON CONFLICT (name) DO UPDATE SET last_used = greatest(_carnet_key_uses.last_used, excluded.last_used)";
        let names: Vec<&str> = uses.iter().map(|used| used.name.as_str()).collect();
        let moments: Vec<String> = uses.iter().map(|used| used.at.to_string()).collect();
        conn.query(text, &[&names, &moments]).await?;
        uses.iter().for_each(Use::is_written);
        Ok(())
    }
}

impl Session {
    pub(super) async fn list_keys(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        let conn = self.conn_for_keys().await?;
        let listed = timeout(KEY_CHANGE_TIMEOUT, key_table::list(&conn.client)).await;
        listed.unwrap_or(Err(KeyAdminError::Failed(StoreError::Unavailable)))
    }

    pub(super) async fn create_key(&self, key: &NewKey, by: &Actor) -> Result<String, KeyAdminError> {
        self.change_keys(async |client| key_table::create(client, key, by).await).await
    }

    pub(super) async fn rotate_key(
        &self,
        rotation: &Rotation,
        by: &Actor,
    ) -> Result<Option<Rotated>, KeyAdminError> {
        self.change_keys(async |client| key_table::rotate(client, rotation, by).await).await
    }

    pub(super) async fn revoke_key(&self, name: &str, by: &Actor) -> Result<bool, KeyAdminError> {
        self.change_keys(async |client| key_table::revoke(client, name, by).await).await
    }

    /// One change, judged as a write is: an answer that comes too late, or a commit with a warning, leaves it unknown.
    async fn change_keys<T>(
        &self,
        change: impl AsyncFnOnce(&mut Client) -> Result<T, KeyAdminError>,
    ) -> Result<T, KeyAdminError> {
        let mut conn = self.conn_for_keys().await?;
        let changed = timeout(KEY_CHANGE_TIMEOUT, key_table::confirmed(&mut conn, change)).await;
        let changed = changed.unwrap_or(Err(KeyAdminError::Failed(StoreError::OutcomeUnknown)));
        self.follow_keys().await;
        changed
    }

    /// A connection for one change: it may wait for the writers, and nobody should wait behind it.
    async fn conn_for_keys(&self) -> Result<PreparedConn, StoreError> {
        self.server.conn().await.map_err(|_| StoreError::Unavailable)
    }

    /// The change is made, whatever becomes of this; a session that ends here is followed by one that reads the
    /// keys before anything else.
    async fn follow_keys(&self) {
        let _ = self.validator.refresh().await;
    }
}
