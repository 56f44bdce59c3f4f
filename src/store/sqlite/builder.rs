//! The thread that reads large sets of ids from the database, while requests and writes go on.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::Role;
use super::file::DatabaseFile;
use super::row::Bound;
use super::version;
use crate::catalog::Catalog;
use crate::observe::{Event, Observer};
use crate::record::{RecordId, Value};
use crate::store::OpenError;
use crate::store::cache::Cache;
use crate::store::cache::ids::Ids;
use crate::store::cache::sets::{Part, SetKey};
use crate::store::fatal::FatalLatch;
use crate::store::sqlite::sql;

/// Below so many ids one thread reads a whole collection as fast as several would.
const WORTH_SEVERAL_THREADS: i64 = 200_000;

/// How many sets may wait to be built. One that finds no room is asked for again.
const QUEUE: usize = 64;

/// Where to ask for a set.
pub(super) struct Builder {
    workshop: Arc<Workshop>,
    requests: Mutex<Option<SyncSender<SetKey>>>,
}

/// What building a set takes.
struct Workshop {
    file: Arc<DatabaseFile>,
    catalog: Arc<Catalog>,
    cache: Arc<Cache>,
    observer: Arc<Observer>,
}

impl Builder {
    /// Starts with the sets of all live ids; until they are there, lists are read by counting.
    pub(super) fn start(
        file: Arc<DatabaseFile>,
        catalog: Arc<Catalog>,
        cache: Arc<Cache>,
        observer: Arc<Observer>,
        fatal: FatalLatch,
    ) -> Result<Self, OpenError> {
        let (sender, requests) = sync_channel(QUEUE);
        let collections = catalog.collections().len();
        let place = file.path().display().to_string();
        let workshop = Arc::new(Workshop { file, catalog, cache, observer });
        let thread = workshop.clone();
        std::thread::Builder::new()
            .name("sets".into())
            .spawn(move || fatal.guard("the thread that reads sets", || thread.work(collections, &requests)))
            .map_err(|error| OpenError::Unusable { place, cause: error.to_string() })?;
        Ok(Self { workshop, requests: Mutex::new(Some(sender)) })
    }

    /// Asks for a set, to be there some time later.
    pub(super) fn request(&self, key: SetKey) {
        if let Some(requests) = self.requests.lock().as_ref() {
            // A thread that is gone was told to stop; one that is behind will be asked again.
            let _ = requests.try_send(key);
        }
    }

    /// Builds a set on this thread, unless it is known or under way.
    pub(super) fn build_now(&self, key: &SetKey) {
        self.workshop.build(key);
    }

    pub(super) fn stop(&self) {
        self.requests.lock().take();
    }
}

impl Workshop {
    fn work(&self, collections: usize, requests: &Receiver<SetKey>) {
        for collection in 0..collections {
            self.build(&SetKey { collection, fields: Vec::new(), terms: Vec::new() });
        }
        while let Ok(key) = requests.recv() {
            self.build(&key);
        }
    }

    fn build(&self, key: &SetKey) {
        let Some(number) = self.cache.begin_build(key.clone()) else { return };
        match self.read(key) {
            Ok(parts) => {
                // A commit that was read but is not applied yet would show in this set and nowhere else.
                match self.cache.wait_for(parts.iter().map(|part| part.version).max().unwrap_or(0)) {
                    Ok(()) => self.cache.finish_build(number, parts),
                    Err(_) => self.cache.abandon_build(number),
                }
            }
            Err(cause) => {
                self.cache.abandon_build(number);
                self.observer.report(Event::Warning(&format!("a set of ids cannot be read: {cause}")));
            }
        }
    }

    fn read(&self, key: &SetKey) -> Result<Vec<Part>, String> {
        let connection = self.file.connect(Role::Reader).map_err(|error| error.to_string())?;
        if key.fields.is_empty() {
            return self.read_all(&connection, key.collection);
        }
        let (text, values) = sql::in_set(self.catalog.at(key.collection), &key.fields, &key.values());
        read_part(&connection, &text, &values, i64::MAX)
            .map(|part| vec![part])
            .map_err(|error| error.to_string())
    }

    /// All ids of a collection, by several threads where there are many.
    fn read_all(&self, connection: &Connection, collection: usize) -> Result<Vec<Part>, String> {
        let collection = self.catalog.at(collection);
        let largest: Option<i64> = connection
            .query_row(&sql::largest_id(collection), [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        let largest = largest.unwrap_or(0);
        let threads = match std::thread::available_parallelism() {
            Ok(cores) if largest > WORTH_SEVERAL_THREADS => i64::try_from(cores.get()).unwrap_or(1).min(8),
            _ => 1,
        };
        let share = largest / threads + 1;
        let text = sql::ids_between(collection);
        let read = |place: i64| {
            // The last part also speaks for what is created from now on.
            let last = if place + 1 == threads { i64::MAX } else { (place + 1) * share };
            let range = [Value::Integer(place * share + 1), Value::Integer(last)];
            let connection = self.file.connect(Role::Reader).map_err(|error| error.to_string())?;
            read_part(&connection, &text, &range, last).map_err(|error| error.to_string())
        };
        std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads).map(|place| scope.spawn(move || read(place))).collect();
            let parts =
                parts.into_iter().map(|part| part.join().unwrap_or(Err("a reading thread panicked".into())));
            parts.collect()
        })
    }
}

/// The ids that a statement finds, in ascending order, with the version they are of.
fn read_part(connection: &Connection, text: &str, values: &[Value], last: i64) -> rusqlite::Result<Part> {
    let moment = connection.unchecked_transaction()?;
    let version = version::read(&moment)?;
    let mut statement = moment.prepare(text)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values.iter().map(Bound)))?;
    let mut ids = Ids::default();
    while let Some(row) = rows.next()? {
        if let Some(id) = RecordId::new(row.get(0)?) {
            ids.insert(id);
        }
    }
    Ok(Part { version, last, ids })
}
