//! A database file that is copied from: one read transaction, also beside a running server.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use super::aside::Aside;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::audit::{Head, Trail};
use crate::store::copy::rows::Sum;
use crate::store::copy::{Care, CopyError, Outlet};
use crate::store::extract::Pass;
use crate::store::ident::quote;
use crate::store::keys::KeyRow;
use crate::store::migration::MigrationPlan;
use crate::store::sqlite::connection::{self, Role};
use crate::store::sqlite::file::DatabaseFile;
use crate::store::sqlite::{audit, faults, key_table, store_id, tables, throttle};
use crate::store::{OpenError, StoreId};

pub(in crate::store) struct Source {
    /// What a server holds of the file outlives the connection.
    aside: Aside<Option<Arc<DatabaseFile>>>,
    catalog: Arc<Catalog>,
    needs_unicode: bool,
    notes: Vec<String>,
}

impl Source {
    /// Opens a file that is ours and in line with the catalog. It is neither made nor changed.
    pub(in crate::store) async fn open(
        path: &Path,
        catalog: &Arc<Catalog>,
        needs_unicode: bool,
    ) -> Result<Self, CopyError> {
        let place = format!("sqlite:{}", path.display());
        if !path.exists() {
            return Err(CopyError::NoSource(place));
        }
        let connection = connection::open(path, Role::Inspector)?;
        if !connection::is_marked(&connection).map_err(|error| connection::unusable(path, &error))? {
            return Err(CopyError::NoSource(place));
        }
        let mut aside = Aside::new(connection, None, place.clone());
        let declared = catalog.clone();
        let plan = aside
            .run(move |held, place| {
                // The first look decides of which moment all others are.
                let failed = |error| CopyError::failed(place, error);
                held.connection.execute_batch("BEGIN").map_err(failed)?;
                tables::plan(&held.connection, &declared).map_err(failed)
            })
            .await?;
        let MigrationPlan { notes, conflicts, .. } = &plan;
        if !conflicts.is_empty() {
            return Err(OpenError::Contradiction(plan.conflicts).into());
        }
        let notes = notes.clone();
        let changes = plan.except_creations(catalog);
        if !changes.is_empty() {
            return Err(CopyError::NotInLine { place, changes });
        }
        Ok(Self { aside, catalog: catalog.clone(), needs_unicode, notes })
    }

    /// The file of a running server, as this connection sees it inside its transaction.
    pub(in crate::store::sqlite) fn beside(
        file: Arc<DatabaseFile>,
        connection: Connection,
        catalog: Arc<Catalog>,
    ) -> Self {
        let place = format!("sqlite:{}", file.path().display());
        let aside = Aside::new(connection, Some(file), place);
        Self { aside, catalog, needs_unicode: false, notes: Vec::new() }
    }

    /// From now on leaves half of the time to others.
    pub(in crate::store) async fn throttle(&mut self) -> Result<(), CopyError> {
        self.aside
            .run(|held, place| {
                let set = throttle::throttle(&mut held.connection);
                set.map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    pub(in crate::store) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(in crate::store) async fn extent(&mut self, position: usize) -> Result<(u64, i64), CopyError> {
        let catalog = self.catalog.clone();
        let work = move |connection: &Connection| {
            let collection = catalog.at(position);
            if !super::has_table(connection, collection.name())? {
                return Ok((0, 0));
            }
            let count = format!("SELECT count(*) FROM {}", quote(collection.name()));
            let count: i64 = connection.query_row(&count, [], |row| row.get(0))?;
            Ok((count.unsigned_abs(), super::counter(connection, collection)?))
        };
        self.aside
            .run(move |held, place| {
                work(&held.connection).map_err(|error: rusqlite::Error| CopyError::failed(place, error))
            })
            .await
    }

    pub(in crate::store) async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        let (catalog, needs_unicode) = (self.catalog.clone(), self.needs_unicode);
        self.aside
            .run(move |held, place| {
                let (connection, collection) = (&held.connection, catalog.at(position));
                let failed = |error| CopyError::failed(place, error);
                if !super::has_table(connection, collection.name()).map_err(failed)? {
                    return Ok(outlet.sum());
                }
                refuse_dangling(connection, place, &catalog, collection)?;
                super::read(connection, place, collection, needs_unicode, outlet)
            })
            .await
    }

    /// Goes through what is extracted; a table that is not made yet has nothing in it.
    pub(in crate::store) async fn pass(&mut self, pass: Pass) -> Result<Pass, CopyError> {
        self.aside
            .run(move |held, place| {
                let has_table = super::has_table(&held.connection, pass.extract.of().name());
                match has_table.map_err(|error| CopyError::failed(place, error))? {
                    true => super::pass(&held.connection, place, pass),
                    false => Ok(pass),
                }
            })
            .await
    }

    pub(in crate::store) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        let work = |connection: &Connection| match super::has_table(connection, "_carnet_keys")? {
            true => key_table::rows(connection),
            false => Ok(Vec::new()),
        };
        self.aside
            .run(move |held, place| work(&held.connection).map_err(|error| CopyError::failed(place, error)))
            .await
    }

    /// Which store it is; one of before there were ids has none.
    pub(in crate::store) async fn id(&mut self) -> Result<Option<StoreId>, CopyError> {
        let work = |connection: &Connection| match super::has_table(connection, "_carnet_store")? {
            true => store_id::read(connection).map(Some),
            false => Ok(None),
        };
        self.aside
            .run(move |held, place| work(&held.connection).map_err(|error| CopyError::failed(place, error)))
            .await
    }

    /// Where its trail ends; a store of before there was one has none.
    pub(in crate::store) async fn trail(&mut self) -> Result<Head, CopyError> {
        let work = |connection: &Connection| match super::has_table(connection, "_carnet_audit_head")? {
            true => audit::head(connection),
            false => Ok(Head::beginning()),
        };
        self.aside
            .run(move |held, place| work(&held.connection).map_err(|error| CopyError::failed(place, error)))
            .await
    }

    pub(in crate::store) async fn whole_trail(&mut self) -> Result<Trail, CopyError> {
        self.aside
            .run(|held, place| {
                audit::read_within(&held.connection).map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    pub(in crate::store) async fn undeclared(&mut self) -> Result<Vec<(String, u64)>, CopyError> {
        let catalog = self.catalog.clone();
        self.aside
            .run(move |held, place| {
                let found = tables::undeclared_records(&held.connection, &catalog);
                found.map_err(|error| CopyError::failed(place, error))
            })
            .await
    }

    /// What is wrong with the file, of the same moment as all else.
    pub(in crate::store) async fn faults(&mut self, care: Care) -> Result<Vec<String>, CopyError> {
        let catalog = self.catalog.clone();
        self.aside
            .run(move |held, place| {
                let found = faults::find(&held.connection, &catalog, care);
                found.map_err(|error| CopyError::failed(place, error))
            })
            .await
    }
}

/// SQLite lets other tools switch foreign keys off; what they left behind would be refused elsewhere, without its name.
fn refuse_dangling(
    connection: &Connection,
    place: &str,
    catalog: &Catalog,
    collection: &Collection,
) -> Result<(), CopyError> {
    for field in collection.fields() {
        let Some(reference) = field.reference() else { continue };
        let (table, column) = (quote(collection.name()), quote(field.name()));
        let target = catalog.at(reference.target).name();
        let exists = match super::has_table(connection, target) {
            Ok(true) => format!("EXISTS (SELECT 1 FROM {} WHERE id = referring.{column})", quote(target)),
            Ok(false) => "FALSE".to_owned(),
            Err(error) => return Err(CopyError::failed(place, error)),
        };
        let text = format!(
            "SELECT id FROM {table} AS referring WHERE {column} IS NOT NULL AND NOT {exists} LIMIT 1"
        );
        let found = connection.query_row(&text, [], |row| row.get(0)).optional();
        if let Some(id) = found.map_err(|error| CopyError::failed(place, error))? {
            let (collection, field) = (collection.name().to_owned(), field.name().to_owned());
            return Err(CopyError::Dangling { collection, id, field });
        }
    }
    Ok(())
}
