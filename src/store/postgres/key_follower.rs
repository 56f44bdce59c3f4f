//! The access keys as a server knows them, read anew when they have changed, and their uses.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use arc_swap::{ArcSwap, Guard};
use parking_lot::Mutex;
use tokio_postgres::Error;

use super::key_table;
use super::prepared_conn::PreparedConn;
use crate::observe::{Event, Observer};
use crate::store::keys::{KEY_COLUMNS, KeySet, Use};

/// What a server knows of the stored keys.
pub(super) struct KeyFollower {
    current: ArcSwap<KeySet>,
    /// The number of changes that led to them; none yet: -1.
    seen: AtomicI64,
    /// When the server was asked that said last that they are right.
    asked: Mutex<Option<Instant>>,
    observer: Arc<Observer>,
}

impl KeyFollower {
    pub(super) fn new(observer: Arc<Observer>) -> Self {
        Self {
            current: ArcSwap::from_pointee(KeySet::default()),
            seen: AtomicI64::new(-1),
            asked: Mutex::new(None),
            observer,
        }
    }

    pub(super) fn current(&self) -> Guard<Arc<KeySet>> {
        self.current.load()
    }

    /// The keys, and a number of changes that they are not older than.
    pub(super) fn numbered(&self) -> (i64, Guard<Arc<KeySet>>) {
        let seen = self.seen.load(Ordering::Acquire);
        (seen, self.current())
    }

    /// Whether the keys are those of a moment after this one.
    pub(super) fn are_newer_than(&self, moment: Instant) -> bool {
        self.asked.lock().is_some_and(|asked| asked > moment)
    }

    /// Reads the keys anew where their number of changes, for which the server was asked at this moment, is another one
    /// than was seen.
    pub(super) async fn follow(
        &self,
        conn: &PreparedConn,
        changes: i64,
        asked: Instant,
    ) -> Result<(), Error> {
        if self.seen.load(Ordering::Acquire) != changes {
            self.read(conn, changes).await?;
        }
        *self.asked.lock() = Some(asked);
        Ok(())
    }

    async fn read(&self, conn: &PreparedConn, changes: i64) -> Result<(), Error> {
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
        let number = keys.len();
        let keys = KeySet::new(keys, &self.current.load());
        // The keys first: who sees the number sees them, or newer ones.
        self.current.store(Arc::new(keys));
        let was_known = self.seen.swap(changes, Ordering::AcqRel) >= 0;
        if was_known {
            self.observer.report(Event::KeysReloaded { keys: number });
        }
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
