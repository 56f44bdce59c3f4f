//! A server's view of the stored access keys, which follows every change, whoever makes it.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::{self, Role};
use crate::observe::{Event, Observer};
use crate::record::access_key::KeyHash;
use crate::store::OpenError;
use crate::store::keys::{Holder, KeySet};

/// How often a server looks whether the keys have changed; a revoked key is refused within one second.
const LOOK: Duration = Duration::from_millis(250);

/// The keys as a server knows them, kept fresh by a thread of its own.
pub(super) struct Follower {
    watch: Arc<Watch>,
    stop: Mutex<Option<Sender<()>>>,
}

/// What is known, and how to see whether it is still right.
struct Watch {
    current: ArcSwap<KeySet>,
    /// Reading and publishing are one step: nobody puts older keys in the place of newer ones.
    eye: Mutex<Eye>,
    observer: Arc<Observer>,
}

struct Eye {
    connection: Connection,
    /// The number of changes that led to what is known.
    seen: i64,
    is_readable: bool,
}

impl Follower {
    pub(super) fn start(path: &Path, observer: Arc<Observer>) -> Result<Self, OpenError> {
        let unusable = |error: rusqlite::Error| connection::unusable(path, &error);
        let connection = connection::open(path, Role::Reader)?;
        let (seen, keys) = read_keys(&connection).map_err(unusable)?;
        let eye = Mutex::new(Eye { connection, seen, is_readable: true });
        let watch = Arc::new(Watch { current: ArcSwap::from_pointee(keys), eye, observer });
        let (stop, stopped) = channel();
        let followed = watch.clone();
        let follow = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK) {
                followed.look();
            }
        };
        let spawned = std::thread::Builder::new().name("access keys".into()).spawn(follow);
        spawned.map_err(|error| OpenError::Unusable {
            place: path.display().to_string(),
            cause: error.to_string(),
        })?;
        Ok(Self { watch, stop: Mutex::new(Some(stop)) })
    }

    pub(super) fn current(&self) -> Arc<KeySet> {
        self.watch.current.load_full()
    }

    /// Looks at once, for a change that was just made: whoever is told of it finds it followed.
    pub(super) fn look(&self) {
        self.watch.look();
    }

    pub(super) fn stop(&self) {
        self.stop.lock().take();
    }
}

impl Watch {
    fn look(&self) {
        let mut eye = self.eye.lock();
        let fresh = changes(&eye.connection)
            .and_then(|now| (now != eye.seen).then(|| read_keys(&eye.connection)).transpose());
        let was_readable = std::mem::replace(&mut eye.is_readable, fresh.is_ok());
        match fresh {
            Ok(None) => {}
            Ok(Some((now, keys))) => {
                eye.seen = now;
                self.observer.report(Event::KeysReloaded { keys: keys.len() });
                self.current.store(Arc::new(keys));
            }
            // Said once, not four times a second; the keys last read stay in force.
            Err(error) if was_readable => {
                self.observer.report(Event::Warning(&format!("the access keys cannot be read: {error}")));
            }
            Err(_) => {}
        }
    }
}

fn changes(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT number FROM _carnet_key_changes")?.query_row([], |row| row.get(0))
}

/// The keys and the number of changes that led to them, of one moment.
fn read_keys(connection: &Connection) -> rusqlite::Result<(i64, KeySet)> {
    let moment = connection.unchecked_transaction()?;
    let seen = changes(&moment)?;
    let mut statement = moment.prepare_cached("SELECT hash, name, admin FROM _carnet_keys")?;
    let mut keys = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let hash: Vec<u8> = row.get(0)?;
        // A row that another tool spoiled opens no door.
        if let Some(hash) = KeyHash::from_bytes(&hash) {
            keys.push((hash, Holder { name: row.get(1)?, is_admin: row.get(2)? }));
        }
    }
    Ok((seen, KeySet::new(keys.into_iter())))
}
