//! Reads sets whole, each on connections of its own, and the thread that builds large ones with it.

use std::sync::Arc;

use rusqlite::{Connection, Statement, StatementStatus, params_from_iter};
use tokio::runtime::Handle;

use super::connection::{self, Role};
use super::deletion::list;
use super::file::DatabaseFile;
use super::kind::Bound;
use super::{row, version};
use crate::catalog::Catalog;
use crate::observe::Observer;
use crate::record::{RecordId, Value};
use crate::store::cache::Cache;
use crate::store::cache::builder::{Builder, SetReader};
use crate::store::cache::ids::{Ids, IdsBuilder};
use crate::store::cache::scan::{Each, Scan, Which};
use crate::store::cache::set_key::SetKey;
use crate::store::fatal::FatalLatch;
use crate::store::sqlite::sql;
use crate::store::{OpenError, StoreError};

/// Below so many ids one thread reads a whole collection as fast as several would.
const WORTH_SEVERAL_THREADS: i64 = 200_000;

/// What reading a set takes.
pub(super) struct FileReader {
    pub(super) file: Arc<DatabaseFile>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) observer: Arc<Observer>,
}

/// Starts the thread that builds what is asked for.
pub(super) fn start(
    builder: Builder<FileReader>,
    fatal: FatalLatch,
) -> Result<Arc<Builder<FileReader>>, OpenError> {
    let (builder, runtime) = (Arc::new(builder), Handle::current());
    let thread = builder.clone();
    let work = move || fatal.guard("the thread that reads sets", || runtime.block_on(thread.work()));
    let place = builder.reader.file.path().display().to_string();
    let spawned = std::thread::Builder::new().name("sets".into()).spawn(work);
    spawned.map(|_| builder).map_err(|error| OpenError::Unusable { place, cause: error.to_string() })
}

impl SetReader for FileReader {
    async fn read_set(&self, cache: &Cache, key: &SetKey) -> Result<Ids, StoreError> {
        let parts = tokio::task::block_in_place(|| self.read(key)).map_err(StoreError::Broken)?;
        cache.wait_for(parts.iter().map(|part| part.version).max().unwrap_or(0))?;
        let mut ids = Ids::default();
        parts.into_iter().for_each(|part| ids.append(part.ids));
        Ok(ids)
    }

    async fn scan(&self, cache: &Cache, scan: Scan<'_>, each: &mut Each<'_>) -> Result<(), StoreError> {
        let read_at = tokio::task::block_in_place(|| {
            let connection =
                connection::connect(&self.file, Role::Reader).map_err(|error| error.to_string())?;
            self::scan(&connection, &self.observer, scan, each).map_err(|error| error.to_string())
        });
        cache.wait_for(read_at.map_err(StoreError::Broken)?)
    }
}

/// The ids of one part of a set, and the version they are of.
struct Part {
    version: u64,
    ids: Ids,
}

impl FileReader {
    fn read(&self, key: &SetKey) -> Result<Vec<Part>, String> {
        let connection = connection::connect(&self.file, Role::Reader).map_err(|error| error.to_string())?;
        if key.is_all() {
            return self.read_all(&connection, key.collection);
        }
        let collection = self.catalog.at(key.collection);
        let conditions = key.conditions(collection);
        let (text, values) =
            sql::matching(collection, conditions.iter().map(|(on, condition)| (*on, condition)), None);
        Ok(vec![read_part(&connection, &text, values)?])
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
            let range = [Value::from(place * share + 1), Value::from(last)];
            let connection =
                connection::connect(&self.file, Role::Reader).map_err(|error| error.to_string())?;
            read_part(&connection, &text, &range)
        };
        std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads).map(|place| scope.spawn(move || read(place))).collect();
            let parts =
                parts.into_iter().map(|part| part.join().unwrap_or(Err("a reading thread panicked".into())));
            parts.collect()
        })
    }
}

fn read_part<'a>(
    connection: &Connection,
    text: &str,
    values: impl IntoIterator<Item = &'a Value>,
) -> Result<Part, String> {
    let (version, _, ids) = read_ids(connection, text, values).map_err(|error| error.to_string())?;
    Ok(Part { version, ids })
}

/// The ids that a statement finds, in whatever order, with the version they are of and the number of rows.
pub(super) fn read_ids<'a>(
    connection: &Connection,
    text: &str,
    values: impl IntoIterator<Item = &'a Value>,
) -> rusqlite::Result<(u64, usize, Ids)> {
    let moment = connection.unchecked_transaction()?;
    let read_at = version::read(&moment)?;
    let mut statement = moment.prepare_cached(text)?;
    let mut rows = statement.query(params_from_iter(values.into_iter().map(Bound)))?;
    let (mut number, mut ids) = (0, IdsBuilder::default());
    while let Some(row) = rows.next()? {
        number += 1;
        if let Some(id) = RecordId::new(row.get(0)?) {
            ids.add(id);
        }
    }
    Ok((read_at, number, ids.finish()))
}

/// Some fields of records, read inside one transaction, with the version they are of.
pub(super) fn scan(
    connection: &Connection,
    observer: &Observer,
    scan: Scan<'_>,
    each: &mut Each<'_>,
) -> rusqlite::Result<u64> {
    let moment = connection.unchecked_transaction()?;
    let read_at = version::read(&moment)?;
    let (text, values) = sql::scan(&scan);
    let mut statement = moment.prepare_cached(&text)?;
    let mut rows = match scan.which {
        Which::Meeting(_) => statement.query(params_from_iter(values.into_iter().map(Bound)))?,
        Which::These(ids) => statement.query([list(ids)])?,
    };
    let mut values = scan.no_values();
    while let Some(row) = rows.next()? {
        row::read_some(row, scan.collection, &scan.fields, &mut values)?;
        if !each(row::id(row)?, &values) {
            break;
        }
    }
    drop(rows);
    observer.store().scanned();
    observer.store().stepped(taken(&statement));
    Ok(read_at)
}

/// How many steps a statement has taken since it was last asked.
pub(super) fn taken(statement: &Statement<'_>) -> u64 {
    u64::try_from(statement.reset_status(StatementStatus::VmStep)).unwrap_or(0)
}
