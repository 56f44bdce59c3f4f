//! A server's view of the stored access keys, which follows every change, whoever makes it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::{self, Role};
use super::keys::{self, KeyTable};
use crate::observe::{Event, Observer};
use crate::store::OpenError;
use crate::store::fuse::Fuse;
use crate::store::keys::KeySet;

/// How often a server looks whether the keys have changed; a revoked key is refused within one second.
const LOOK: Duration = Duration::from_millis(250);
/// After so many looks the uses of keys are written, where there are any.
const LOOKS_TO_WRITE: u32 = 20;

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
    path: PathBuf,
    observer: Arc<Observer>,
}

struct Eye {
    connection: Connection,
    /// The number of changes that led to what is known.
    seen: i64,
    is_readable: bool,
}

impl Follower {
    pub(super) fn start(path: &Path, observer: Arc<Observer>, fuse: Fuse) -> Result<Self, OpenError> {
        let unusable = |error: rusqlite::Error| connection::unusable(path, &error);
        let connection = connection::open(path, Role::Reader)?;
        let (seen, keys) = read_keys(&connection, &KeySet::default()).map_err(unusable)?;
        let eye = Mutex::new(Eye { connection, seen, is_readable: true });
        let current = ArcSwap::from_pointee(keys);
        let watch = Arc::new(Watch { current, eye, path: path.to_owned(), observer });
        let (stop, stopped) = channel();
        let followed = watch.clone();
        let follow = move || {
            let mut looks = 0u32;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK) {
                followed.look();
                looks = looks.wrapping_add(1);
                if looks.is_multiple_of(LOOKS_TO_WRITE) {
                    followed.write_uses();
                }
            }
        };
        // Without it a key that is revoked would stay in force.
        let guarded = move || fuse.guard("the thread that follows the access keys", follow);
        let spawned = std::thread::Builder::new().name("access keys".into()).spawn(guarded);
        spawned.map_err(|error| OpenError::Unusable {
            place: path.display().to_string(),
            cause: error.to_string(),
        })?;
        Ok(Self { watch, stop: Mutex::new(Some(stop)) })
    }

    pub(super) fn current(&self) -> Guard<Arc<KeySet>> {
        self.watch.current.load()
    }

    /// Looks at once, for a change that was just made: whoever is told of it finds it followed.
    pub(super) fn look(&self) {
        self.watch.look();
    }

    /// Writes what is known of uses, and looks no more.
    pub(super) fn stop(&self) {
        if self.stop.lock().take().is_some() {
            self.watch.write_uses();
        }
    }
}

impl Watch {
    fn look(&self) {
        let mut eye = self.eye.lock();
        let fresh = changes(&eye.connection).and_then(|now| {
            let known = self.current.load();
            (now != eye.seen).then(|| read_keys(&eye.connection, &known)).transpose()
        });
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

impl Watch {
    /// Whatever keeps them from being written, they are tried again: nobody waits for them.
    fn write_uses(&self) {
        let uses = self.current.load().uses();
        if !uses.is_empty() {
            let written = KeyTable::beside(&self.path).and_then(|mut table| table.write_uses(&uses));
            if let Err(error) = written {
                self.observer.report(Event::Detail(&format!("uses of access keys wait: {error}")));
            }
        }
    }
}

fn changes(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT number FROM _carnet_key_changes")?.query_row([], |row| row.get(0))
}

/// The keys and the number of changes that led to them, of one moment.
fn read_keys(connection: &Connection, before: &KeySet) -> rusqlite::Result<(i64, KeySet)> {
    let moment = connection.unchecked_transaction()?;
    let seen = changes(&moment)?;
    Ok((seen, KeySet::new(keys::rows(&moment)?, before)))
}
