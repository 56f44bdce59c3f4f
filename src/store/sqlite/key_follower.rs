//! The thread that looks at the file all the time: for access keys that have changed, whoever changed them, and for
//! whether the file can be read and is still the one that was opened; and for whether the reserve is whole.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::{self, Role};
use super::file::DatabaseFile;
use super::key_table::{self, KeyTable};
use super::version;
use crate::observe::{Event, Observer};
use crate::store::OpenError;
use crate::store::fatal::FatalLatch;
use crate::store::keys::KeySet;

/// How often a server looks whether the keys have changed; a revoked key is refused within one second.
const LOOK: Duration = Duration::from_millis(250);
/// After so many looks the uses of keys are written, where there are any.
const LOOKS_TO_WRITE: u32 = 20;
/// A look that takes longer is one at a disk that does not answer.
const LONGEST_LOOK: Duration = Duration::from_secs(5);

/// The keys as a server knows them, kept fresh by a thread of its own.
pub(super) struct KeyFollower {
    watch: Arc<Watch>,
    stop: Mutex<Option<Sender<()>>>,
}

/// What is known, and how to see whether it is still right.
struct Watch {
    current: ArcSwap<KeySet>,
    /// Reading and publishing are one step: nobody puts older keys in the place of newer ones.
    eye: Mutex<Eye>,
    /// When the last look ended, and what kept it from reading.
    last_look: Mutex<(Instant, Result<(), String>)>,
    file: Arc<DatabaseFile>,
    observer: Arc<Observer>,
}

struct Eye {
    connection: Connection,
    /// The number of changes that led to what is known.
    seen: i64,
    is_readable: bool,
}

impl KeyFollower {
    pub(super) fn start(
        file: Arc<DatabaseFile>,
        observer: Arc<Observer>,
        fatal: FatalLatch,
    ) -> Result<Self, OpenError> {
        let place = file.path().display().to_string();
        let connection = connection::connect(&file, Role::Reader)?;
        let (seen, keys) = read_keys(&connection, &KeySet::default())
            .map_err(|error| connection::unusable(file.path(), &error))?;
        let eye = Mutex::new(Eye { connection, seen, is_readable: true });
        let current = ArcSwap::from_pointee(keys);
        let last_look = Mutex::new((Instant::now(), Ok(())));
        let watch = Arc::new(Watch { current, eye, last_look, file, observer });
        let (stop, stopped) = channel();
        let (followed, ended) = (watch.clone(), fatal.clone());
        let follow = move || {
            let mut looks = 0u32;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK) {
                followed.look();
                if let Err(cause) = followed.check_file() {
                    return ended.trip(&cause);
                }
                followed.file.keep_reserve(&followed.observer);
                looks = looks.wrapping_add(1);
                if looks.is_multiple_of(LOOKS_TO_WRITE) {
                    followed.write_uses();
                }
            }
        };
        // Without it a key that is revoked would stay in force.
        let guarded = move || fatal.guard("the thread that follows the access keys", follow);
        let spawned = std::thread::Builder::new().name("access keys".into()).spawn(guarded);
        spawned.map_err(|error| OpenError::Unusable { place, cause: error.to_string() })?;
        Ok(Self { watch, stop: Mutex::new(Some(stop)) })
    }

    pub(super) fn current(&self) -> Guard<Arc<KeySet>> {
        self.watch.current.load()
    }

    /// Whether the file can be read, by the last look at it; why not, if it cannot.
    pub(super) fn readable(&self) -> Result<(), String> {
        let (ended, outcome) = &*self.watch.last_look.lock();
        match ended.elapsed() < LONGEST_LOOK {
            true => outcome.clone(),
            false => Err("the disk does not answer".into()),
        }
    }

    /// Whether what was written just now will be found by the next start.
    pub(super) fn check_file(&self) -> Result<(), String> {
        self.watch.check_file()
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
        let fresh = read_anew(&eye.connection).and_then(|now| {
            let known = self.current.load();
            (now != eye.seen).then(|| read_keys(&eye.connection, &known)).transpose()
        });
        let outcome = fresh.as_ref().map(|_| ()).map_err(|error| format!("the file cannot be read: {error}"));
        *self.last_look.lock() = (Instant::now(), outcome);
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
                self.observer.report(Event::Warning(&format!("the file cannot be read: {error}")));
            }
            Err(_) => {}
        }
    }
}

impl Watch {
    fn check_file(&self) -> Result<(), String> {
        self.file.check_log(&self.eye.lock().connection)
    }

    /// Whatever keeps them from being written, they are tried again: nobody waits for them.
    fn write_uses(&self) {
        let uses = self.current.load().uses();
        if !uses.is_empty() {
            let written = KeyTable::beside(&self.file).and_then(|mut table| table.write_uses(&uses));
            if let Err(error) = written {
                self.observer.report(Event::Detail(&format!("uses of access keys wait: {error}")));
            }
        }
    }
}

/// The number of changes, read from the file and not from what SQLite keeps of it. The version stands in a page that
/// every commit writes: it is in the log whenever there is anything in it.
fn read_anew(connection: &Connection) -> rusqlite::Result<i64> {
    connection.execute_batch("PRAGMA shrink_memory")?;
    version::read(connection)?;
    changes(connection)
}

fn changes(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT number FROM _carnet_key_changes")?.query_row([], |row| row.get(0))
}

/// The keys and the number of changes that led to them, of one moment.
fn read_keys(connection: &Connection, before: &KeySet) -> rusqlite::Result<(i64, KeySet)> {
    let moment = connection.unchecked_transaction()?;
    let seen = changes(&moment)?;
    Ok((seen, KeySet::new(key_table::rows(&moment)?, before)))
}
