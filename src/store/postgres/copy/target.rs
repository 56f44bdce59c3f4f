//! A database that is copied into: tables, records, counters and keys in one transaction.

use std::pin::pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::SinkExt;
use tokio::sync::mpsc;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Error, Transaction};

use super::{Reached, SIGNATURE, failed};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::StoreId;
use crate::store::audit::{Actor, Deed};
use crate::store::copy::rows::{Batch, Sum};
use crate::store::copy::{CopyError, Outlet};
use crate::store::ident::{literal, quote};
use crate::store::keys::KeyRow;
use crate::store::migration::words;
use crate::store::postgres::change_log::TAKE_TURN;
use crate::store::postgres::connection::Alive;
use crate::store::postgres::start_failure::{self, Failure};
use crate::store::postgres::{audit, ddl, indexes, key_table, migration_lock, prepare, store_id, tables};

pub(in crate::store) struct Target<'a> {
    transaction: Transaction<'a>,
    alive: Alive,
    place: &'a str,
    catalog: Arc<Catalog>,
    /// By collection: whether its table is made by this transaction, and nobody else can see it.
    is_new: Vec<bool>,
}

/// Why no transaction could be begun.
enum Refusal {
    Failure(Failure),
    NotEmpty(String),
}

impl<E: Into<Failure>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

impl Reached {
    /// An empty store, made where there is none, inside the transaction that fills it.
    pub(in crate::store) async fn target(&mut self, catalog: &Arc<Catalog>) -> Result<Target<'_>, CopyError> {
        let Self { server, conn, place } = self;
        let mut is_changing = false;
        let alive = conn.alive.clone();
        match begin(&mut conn.client, place, catalog, &mut is_changing).await {
            Ok((transaction, is_new)) => {
                Ok(Target { transaction, alive, place, catalog: catalog.clone(), is_new })
            }
            Err(Refusal::NotEmpty(what)) => Err(CopyError::NotEmpty { place: place.clone(), what }),
            Err(Refusal::Failure(failure)) => {
                let other = server.conn().await;
                let mut other = other.map_err(|refused| CopyError::failed(place, refused.words))?;
                let outcome: Result<(), Failure> = Err(failure);
                let explained =
                    start_failure::explained(&mut other.client, place, catalog, outcome, is_changing).await;
                explained.map_or_else(|error| Err(error.into()), |()| Err(CopyError::Stopped))
            }
        }
    }
}

async fn begin<'a>(
    client: &'a mut Client,
    place: &str,
    catalog: &Catalog,
    is_changing: &mut bool,
) -> Result<(Transaction<'a>, Vec<bool>), Refusal> {
    // Until the connection ends, which the copy has for itself.
    migration_lock::begin(client, &|_| ()).await?;
    let transaction = client.transaction().await?;
    // The source may keep us waiting.
    transaction.batch_execute("SET LOCAL idle_in_transaction_session_timeout = 0").await?;
    let plan = prepare::bring_in_line(&transaction, place, catalog, is_changing).await?;
    // Nobody reads what is being filled.
    tables::apply_builds(&transaction, &plan).await?;
    // From here on nobody else writes.
    let tables = catalog.collections().iter().map(|collection| quote(collection.name()));
    let tables: Vec<String> = tables.chain(["_carnet_keys".to_owned()]).collect();
    let hold = format!(
        "SET LOCAL lock_timeout = '30s'; {TAKE_TURN}; LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE",
        tables.join(", ")
    );
    transaction.batch_execute(&hold).await?;
    let collections = catalog
        .collections()
        .iter()
        .map(|collection| (collection.name(), format!("records in {}", collection.name())));
    for (table, what) in collections.chain([("_carnet_keys", "access keys".to_owned())]) {
        let text = format!("SELECT EXISTS (SELECT FROM {})", quote(table));
        if transaction.query_one(&text, &[]).await?.try_get(0)? {
            return Err(Refusal::NotEmpty(what));
        }
    }
    let is_new = catalog.collections().iter().map(|collection| {
        let words = words::create(collection);
        plan.steps.iter().any(|step| step.words == words)
    });
    Ok((transaction, is_new.collect()))
}

impl Target<'_> {
    pub(in crate::store) async fn write(
        &mut self,
        position: usize,
        counter: i64,
        batches: mpsc::Receiver<Batch>,
    ) -> Result<(), CopyError> {
        let collection = self.catalog.at(position);
        let written = self.load(collection, counter, batches).await;
        written.map_err(|error| match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => CopyError::failed(
                self.place,
                format!(
                    "{}; a copy needs a role that owns the table {}",
                    start_failure::cause(&error),
                    collection.name()
                ),
            ),
            _ => failed(self.place, &error),
        })
    }

    async fn load(
        &self,
        collection: &Collection,
        counter: i64,
        mut batches: mpsc::Receiver<Batch>,
    ) -> Result<(), Error> {
        let transaction = &self.transaction;
        // Ids that were given here before are not given again either.
        let counter = super::counter(transaction, collection).await?.max(counter);
        if self.is_new[collection.position()] {
            transaction.batch_execute(&self.without_indexes(collection)).await?;
        } else {
            self.renew_counter(collection).await?;
        }
        let columns = super::columns(collection, |_, column| column.to_owned());
        let table = quote(collection.name());
        let text = format!("COPY {table} ({columns}) FROM STDIN (FORMAT binary)");
        let sink = transaction.copy_in::<_, Bytes>(&text).await?;
        let mut sink = pin!(sink);
        let mut header = BytesMut::from(SIGNATURE);
        header.extend_from_slice(&[0; 8]);
        sink.send(header.freeze()).await?;
        while let Some(batch) = batches.recv().await {
            sink.send(batch.rows).await?;
        }
        // The end is a row of -1 columns.
        sink.send(Bytes::from_static(&[0xff, 0xff])).await?;
        sink.finish().await?;
        if counter > 0 {
            let name = literal(&table);
            let text = format!("SELECT setval(pg_get_serial_sequence({name}, 'id'), {counter})");
            transaction.batch_execute(&text).await?;
        }
        Ok(())
    }

    /// A counter moves outside of transactions; a new one of the same name goes away with this one.
    async fn renew_counter(&self, collection: &Collection) -> Result<(), Error> {
        let name = literal(&quote(collection.name()));
        let text = format!("SELECT pg_get_serial_sequence({name}, 'id')");
        let sequence: String = self.transaction.query_one(&text, &[]).await?.try_get(0)?;
        self.transaction.batch_execute(&format!("ALTER SEQUENCE {sequence} RESTART")).await
    }

    fn without_indexes(&self, collection: &Collection) -> String {
        let parts = indexes::indexes(collection).into_iter().flat_map(|index| index.parts);
        let statements = parts.map(|part| match part.shape.is_exclusion {
            true => ddl::drop_constraint(collection, &part.name),
            false => format!("DROP INDEX {}", quote(&part.name)),
        });
        statements.collect::<Vec<_>>().join(";")
    }

    /// An index over what is there already is made in one go, in order. Only on a table of our own: others would wait
    /// for it until the commit.
    pub(in crate::store) async fn index(&mut self, position: usize) -> Result<(), CopyError> {
        if !self.is_new[position] {
            return Ok(());
        }
        for part in indexes::indexes(self.catalog.at(position)).into_iter().flat_map(|index| index.parts) {
            let made = self.transaction.batch_execute(&part.create).await;
            made.map_err(|error| failed(self.place, &error))?;
        }
        Ok(())
    }

    pub(in crate::store) async fn write_keys(&mut self, keys: Vec<KeyRow>) -> Result<(), CopyError> {
        for key in &keys {
            key_table::insert(&self.transaction, key).await.map_err(|error| failed(self.place, &error))?;
        }
        Ok(())
    }

    pub(in crate::store) async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        super::read(&self.transaction, self.place, self.catalog.at(position), outlet).await
    }

    pub(in crate::store) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        super::keys(&self.transaction).await.map_err(|error| failed(self.place, &error))
    }

    /// Becomes the same store as the source.
    pub(in crate::store) async fn write_id(&mut self, id: StoreId) -> Result<(), CopyError> {
        store_id::replace(&self.transaction, id).await.map_err(|error| failed(self.place, &error))
    }

    /// Puts into the trail where all of it came from.
    pub(in crate::store) async fn record(&mut self, deed: Deed) -> Result<(), CopyError> {
        let recorded = audit::append(&self.transaction, deed, &Actor::command_line()).await;
        recorded.map_err(|error| failed(self.place, &error))
    }

    pub(in crate::store) async fn commit(self) -> Result<(), CopyError> {
        let Self { transaction, alive, place, .. } = self;
        let unknown = |cause: String| CopyError::Unknown { place: place.to_owned(), cause };
        let warned = alive.warnings();
        match transaction.commit().await {
            Err(error) if error.as_db_error().is_some() => Err(failed(place, &error)),
            Err(error) => Err(unknown(start_failure::cause(&error))),
            // A commit that its replicas did not confirm says so in no other way.
            Ok(()) if alive.warnings() != warned => Err(unknown("the commit was not replicated".into())),
            Ok(()) => Ok(()),
        }
    }
}
