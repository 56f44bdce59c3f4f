//! Access keys in the database: a server's view of them, and the changes that it makes itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use arc_swap::ArcSwap;
use tokio_postgres::Error;

use super::line::Line;
use super::ring;
use super::session::Session;
use crate::observe::{Event, Observer};
use crate::record::access_key::{KeyEntry, KeyHash};
use crate::store::StoreError;
use crate::store::keys::{Holder, KeyRingError, KeySet, NewKey};

/// What a server knows of the stored keys.
pub(super) struct Keys {
    current: ArcSwap<KeySet>,
    /// The number of changes that led to them; none yet: -1.
    seen: AtomicI64,
    observer: Arc<Observer>,
}

impl Keys {
    pub(super) fn new(observer: Arc<Observer>) -> Self {
        Self { current: ArcSwap::from_pointee(KeySet::default()), seen: AtomicI64::new(-1), observer }
    }

    pub(super) fn current(&self) -> Arc<KeySet> {
        self.current.load_full()
    }

    /// Reads the keys anew where their number of changes is another one than was seen.
    pub(super) async fn follow(&self, line: &Line, changes: i64) -> Result<(), Error> {
        if self.seen.load(Ordering::Acquire) == changes {
            return Ok(());
        }
        // One statement: keys and number are of one moment.
        let text =
            "SELECT v.keys, k.hash, k.name, k.admin FROM _carnet_version v LEFT JOIN _carnet_keys k ON TRUE";
        let rows = line.query(text, &[]).await?;
        let mut keys = Vec::with_capacity(rows.len());
        for row in &rows {
            let hash: Option<&[u8]> = row.try_get(1)?;
            // A row that another tool spoiled opens no door.
            if let Some(hash) = hash.and_then(KeyHash::from_bytes) {
                keys.push((hash, Holder { name: row.try_get(2)?, is_admin: row.try_get(3)? }));
            }
        }
        let changes = rows.first().map_or(Ok(changes), |row| row.try_get(0))?;
        let was_known = self.seen.swap(changes, Ordering::AcqRel) >= 0;
        if was_known {
            self.observer.report(Event::KeysReloaded { keys: keys.len() });
        }
        self.current.store(Arc::new(KeySet::new(keys.into_iter())));
        Ok(())
    }
}

impl Session {
    pub(super) async fn list_keys(&self) -> Result<Vec<KeyEntry>, KeyRingError> {
        ring::list(&self.line_of_keys().await?.client).await
    }

    pub(super) async fn create_key(&self, key: NewKey<'_>) -> Result<String, KeyRingError> {
        let name = ring::create(&self.line_of_keys().await?.client, key).await?;
        self.follow_keys().await;
        Ok(name)
    }

    pub(super) async fn revoke_key(&self, name: &str) -> Result<bool, KeyRingError> {
        let was_there = ring::revoke(&self.line_of_keys().await?.client, name).await?;
        self.follow_keys().await;
        Ok(was_there)
    }

    /// A line for one change: it may wait for the writers, and nobody should wait behind it.
    async fn line_of_keys(&self) -> Result<Line, StoreError> {
        self.server.line().await.map_err(|_| StoreError::Unavailable)
    }

    /// The change is made, whatever becomes of this; a session that ends here is followed by one that reads the
    /// keys before anything else.
    async fn follow_keys(&self) {
        let _ = self.voucher.vouch().await;
    }
}
