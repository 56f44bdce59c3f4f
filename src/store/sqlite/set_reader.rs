//! Reads sets whole, each on connections of its own, and the thread that builds large ones with it.

use std::sync::Arc;

use rusqlite::{Connection, params_from_iter};
use tokio::runtime::Handle;

use super::connection::{self, Role};
use super::file::DatabaseFile;
use super::kind::Bound;
use super::version;
use crate::catalog::Catalog;
use crate::record::{RecordId, Value};
use crate::store::cache::Cache;
use crate::store::cache::builder::{Builder, SetReader};
use crate::store::cache::ids::Ids;
use crate::store::cache::sets::{Part, SetKey};
use crate::store::fatal::FatalLatch;
use crate::store::sqlite::sql;
use crate::store::{OpenError, StoreError};

/// Below so many ids one thread reads a whole collection as fast as several would.
const WORTH_SEVERAL_THREADS: i64 = 200_000;

/// What reading a set takes.
pub(super) struct FileReader {
    pub(super) file: Arc<DatabaseFile>,
    pub(super) catalog: Arc<Catalog>,
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
    async fn read_set(&self, cache: &Cache, key: &SetKey) -> Result<Vec<Part>, StoreError> {
        let parts = tokio::task::block_in_place(|| self.read(key)).map_err(StoreError::Broken)?;
        cache.wait_for(parts.iter().map(|part| part.version).max().unwrap_or(0))?;
        Ok(parts)
    }
}

impl FileReader {
    fn read(&self, key: &SetKey) -> Result<Vec<Part>, String> {
        let connection = connection::connect(&self.file, Role::Reader).map_err(|error| error.to_string())?;
        if key.fields.is_empty() {
            return self.read_all(&connection, key.collection);
        }
        let collection = self.catalog.at(key.collection);
        let conditions = key.conditions(collection);
        let (text, values) =
            sql::matching(collection, conditions.iter().map(|(on, condition)| (*on, condition)), None);
        Ok(vec![read_part(&connection, &text, values, i64::MAX)?])
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
            read_part(&connection, &text, &range, last)
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
    last: i64,
) -> Result<Part, String> {
    let (version, _, ids) = read_ids(connection, text, values).map_err(|error| error.to_string())?;
    Ok(Part { version, last, ids })
}

/// The ids that a statement finds, in ascending order, with the version they are of and the number of rows.
pub(super) fn read_ids<'a>(
    connection: &Connection,
    text: &str,
    values: impl IntoIterator<Item = &'a Value>,
) -> rusqlite::Result<(u64, usize, Ids)> {
    let moment = connection.unchecked_transaction()?;
    let read_at = version::read(&moment)?;
    let mut statement = moment.prepare_cached(text)?;
    let mut rows = statement.query(params_from_iter(values.into_iter().map(Bound)))?;
    let (mut number, mut ids) = (0, Ids::default());
    while let Some(row) = rows.next()? {
        number += 1;
        RecordId::new(row.get(0)?).map(|id| ids.insert(id));
    }
    Ok((read_at, number, ids))
}
