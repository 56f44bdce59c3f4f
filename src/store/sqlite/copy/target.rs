//! A database file that is copied into: one transaction, with the lock of a server.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::mpsc;

use super::aside::Aside;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::audit::{Actor, Deed, Trail};
use crate::store::copy::rows::{self, Batch, Sum};
use crate::store::copy::{CopyError, Outlet};
use crate::store::ident::{self, quote};
use crate::store::keys::KeyRow;
use crate::store::sqlite::connection::{self, Role};
use crate::store::sqlite::file::DatabaseFile;
use crate::store::sqlite::sql;
use crate::store::sqlite::{audit, key_table, kind, place, store_id, tables, throttle, version};
use crate::store::{OpenError, StoreId};

/// The pages that are kept while all is written in one transaction: a copy beside a server takes at most 32 MiB.
const CACHE_KIB: i64 = 12_288;

pub(in crate::store) struct Target {
    aside: Aside<Keeps>,
    catalog: Arc<Catalog>,
}

/// What outlives the connection, in the order in which it goes.
struct Keeps {
    made: Option<Made>,
    _file: Box<DatabaseFile>,
}

/// A file that was made for this copy, and goes unless the copy is done.
struct Made(PathBuf);

impl Drop for Made {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            let mut name = self.0.clone().into_os_string();
            name.push(suffix);
            // What is not there need not go.
            let _ = fs::remove_file(name);
        }
    }
}

impl Target {
    /// Opens an empty store, made where there is none, and begins the transaction.
    pub(in crate::store) async fn open(
        path: &Path,
        catalog: &Arc<Catalog>,
        any_filesystem: bool,
        rests: bool,
    ) -> Result<Self, CopyError> {
        place::check(path, any_filesystem)?;
        let made = (!path.exists()).then(|| Made(path.to_owned()));
        place::make_private(path)?;
        let file = match DatabaseFile::lock(path) {
            Err(OpenError::Locked(path)) => return Err(CopyError::InUse(path)),
            other => other?,
        };
        let mut connection = connection::open(path, Role::Writer)?;
        let place = format!("sqlite:{}", path.display());
        connection
            .pragma_update(None, "cache_size", -CACHE_KIB)
            .and_then(|()| if rests { throttle::throttle(&mut connection) } else { Ok(()) })
            .map_err(|error| CopyError::failed(&place, error))?;
        let mut aside = Aside::new(connection, Keeps { made, _file: Box::new(file) }, place);
        let declared = catalog.clone();
        let conflicts = aside
            .run(move |held, place| {
                begin(&held.connection, &declared).map_err(|error| CopyError::failed(place, error))
            })
            .await?;
        if !conflicts.is_empty() {
            return Err(OpenError::Contradiction(conflicts).into());
        }
        let declared = catalog.clone();
        aside.run(move |held, place| refuse_filled(&held.connection, place, &declared)).await?;
        Ok(Self { aside, catalog: catalog.clone() })
    }

    pub(in crate::store) async fn write(
        &mut self,
        position: usize,
        counter: i64,
        mut batches: mpsc::Receiver<Batch>,
    ) -> Result<(), CopyError> {
        let catalog = self.catalog.clone();
        let mut work = move |connection: &Connection| {
            let collection = catalog.at(position);
            for index in sql::indexes(collection) {
                connection.execute_batch(&format!("DROP INDEX {}", quote(&index.name)))?;
            }
            // Ids that were given here before are not given again either.
            let counter = super::counter(connection, collection)?.max(counter);
            while let Some(batch) = batches.blocking_recv() {
                insert(connection, collection, &batch)?;
            }
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [collection.name()])?;
            let text = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
            connection.execute(text, (collection.name(), counter))?;
            Ok(())
        };
        self.aside
            .run(move |held, place| {
                work(&held.connection).map_err(|error: rusqlite::Error| CopyError::failed(place, error))
            })
            .await
    }

    /// An index over what is there already is made in one go, in order.
    pub(in crate::store) async fn index(&mut self, position: usize) -> Result<(), CopyError> {
        let catalog = self.catalog.clone();
        self.aside
            .run(move |held, place| {
                let collection = catalog.at(position);
                for index in sql::indexes(collection) {
                    let made = held.connection.execute_batch(&sql::create_index(collection, &index));
                    made.map_err(|error| CopyError::failed(place, error))?;
                }
                Ok(())
            })
            .await
    }

    pub(in crate::store) async fn write_keys(&mut self, rows: Vec<KeyRow>) -> Result<(), CopyError> {
        self.aside
            .run(move |held, place| {
                for key in &rows {
                    let stored = key_table::insert(&held.connection, key);
                    stored.map_err(|error| CopyError::failed(place, error))?;
                }
                Ok(())
            })
            .await
    }

    pub(in crate::store) async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        let catalog = self.catalog.clone();
        self.aside
            .run(move |held, place| super::read(&held.connection, place, catalog.at(position), false, outlet))
            .await
    }

    pub(in crate::store) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        self.aside
            .run(|held, place| {
                key_table::rows(&held.connection).map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    /// Becomes the same store as the source.
    pub(in crate::store) async fn write_id(&mut self, id: StoreId) -> Result<(), CopyError> {
        self.aside
            .run(move |held, place| {
                store_id::replace(&held.connection, id).map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    /// Puts into the trail where all of it came from.
    pub(in crate::store) async fn record(&mut self, deed: Deed) -> Result<(), CopyError> {
        self.aside
            .run(move |held, place| {
                let recorded = audit::append(&held.connection, deed, &Actor::command_line());
                recorded.map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    /// Takes over a trail as it is.
    pub(in crate::store) async fn write_trail(&mut self, trail: Trail) -> Result<(), CopyError> {
        self.aside
            .run(move |held, place| {
                let written = audit::replace(&held.connection, &trail);
                written.map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    pub(in crate::store) async fn commit(mut self) -> Result<(), CopyError> {
        self.aside
            .run(|held, place| {
                let committed = held.connection.execute_batch("COMMIT");
                committed.map_err(|error| CopyError::failed(place, error))?;
                if let Some(made) = held.keeps.made.take() {
                    std::mem::forget(made);
                }
                Ok(())
            })
            .await
    }
}

/// Begins the transaction and brings the tables in line with the catalog, or returns what stands against it.
fn begin(
    connection: &Connection,
    catalog: &Catalog,
) -> rusqlite::Result<Vec<crate::store::migration::Conflict>> {
    // What the source refers to was looked at there; a table that is built anew must not take others along.
    connection.pragma_update(None, "foreign_keys", false)?;
    // What is sorted for an index may be more than there is memory.
    connection.pragma_update(None, "temp_store", "FILE")?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let plan = tables::plan(connection, catalog)?;
    if plan.conflicts.is_empty() {
        // An empty store needs nothing that other tools have put on its tables.
        let _lost = tables::apply(connection, &plan)?;
        key_table::create_tables(connection)?;
        crate::store::sqlite::record(connection, &plan)?;
        version::create_table(connection)?;
        store_id::create_table(connection)?;
        connection::mark(connection)?;
    }
    Ok(plan.conflicts)
}

fn refuse_filled(connection: &Connection, place: &str, catalog: &Catalog) -> Result<(), CopyError> {
    let collections = catalog
        .collections()
        .iter()
        .map(|collection| (collection.name(), format!("records in {}", collection.name())));
    for (table, what) in collections.chain([("_carnet_keys", "access keys".to_owned())]) {
        let text = format!("SELECT EXISTS (SELECT 1 FROM {})", quote(table));
        let is_filled = connection.query_row(&text, [], |row| row.get(0));
        if is_filled.map_err(|error| CopyError::failed(place, error))? {
            return Err(CopyError::NotEmpty { place: place.to_owned(), what });
        }
    }
    Ok(())
}

fn insert(connection: &Connection, collection: &Collection, batch: &Batch) -> rusqlite::Result<()> {
    let places: Vec<String> =
        (0..=collection.fields().len()).map(|place| format!("?{}", place + 1)).collect();
    let (table, columns) = (quote(collection.name()), ident::columns(collection));
    let text = format!("INSERT INTO {table} (id, {columns}) VALUES ({})", places.join(", "));
    let mut statement = connection.prepare_cached(&text)?;
    let mut rest: &[u8] = &batch.rows;
    let mut cells = Vec::with_capacity(collection.fields().len());
    while let Some(id) = rows::next_row(&mut rest, collection, &mut cells) {
        statement.raw_bind_parameter(1, id)?;
        for (position, cell) in cells.iter().enumerate() {
            statement.raw_bind_parameter(position + 2, kind::stored(*cell))?;
        }
        statement.raw_execute()?;
    }
    Ok(())
}
