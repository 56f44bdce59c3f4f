//! A database that is copied from: one snapshot, also while others write.

use std::sync::Arc;

use tokio_postgres::{Client, Error, IsolationLevel, Transaction};

use super::{Reached, failed};
use crate::catalog::Catalog;
use crate::store::audit::{Head, Trail};
use crate::store::copy::rows::Sum;
use crate::store::copy::{CopyError, MOST_FAULTS, Outlet};
use crate::store::extract::Pass;
use crate::store::ident::quote;
use crate::store::keys::KeyRow;
use crate::store::migration::MigrationPlan;
use crate::store::postgres::{audit, prepare, store_id, tables};
use crate::store::{OpenError, StoreId};

pub(in crate::store) struct Source<'a> {
    transaction: Transaction<'a>,
    place: &'a str,
    catalog: Arc<Catalog>,
    notes: Vec<String>,
}

impl Reached {
    /// A store of ours that is in line with the catalog. Nothing in it is changed.
    pub(in crate::store) async fn source(&mut self, catalog: &Arc<Catalog>) -> Result<Source<'_>, CopyError> {
        let Self { conn, place, .. } = self;
        prepare::inspect(&mut conn.client, place, catalog).await?;
        let (transaction, is_ours, plan) =
            begin(&mut conn.client, catalog).await.map_err(|error| failed(place, &error))?;
        if !is_ours {
            return Err(CopyError::NoSource(place.clone()));
        }
        if !plan.conflicts.is_empty() {
            return Err(OpenError::Contradiction(plan.conflicts).into());
        }
        let notes = plan.notes.clone();
        let changes = plan.except_creations(catalog);
        if !changes.is_empty() {
            return Err(CopyError::NotInLine { place: place.clone(), changes });
        }
        Ok(Source { transaction, place, catalog: catalog.clone(), notes })
    }
}

/// From here on the database is as it was at the first look.
async fn moment(client: &mut Client) -> Result<Transaction<'_>, Error> {
    let level = IsolationLevel::RepeatableRead;
    let transaction = client.build_transaction().isolation_level(level).read_only(true).start().await?;
    // Whoever takes what is read may keep us waiting.
    transaction.batch_execute("SET LOCAL idle_in_transaction_session_timeout = 0").await?;
    Ok(transaction)
}

async fn begin<'a>(
    client: &'a mut Client,
    catalog: &Catalog,
) -> Result<(Transaction<'a>, bool, MigrationPlan), Error> {
    let transaction = moment(client).await?;
    let is_ours = super::has_table(&transaction, "_carnet_version").await?;
    let plan = tables::plan(&transaction, catalog).await?;
    Ok((transaction, is_ours, plan))
}

impl<'a> Source<'a> {
    /// The database of a running server.
    pub(in crate::store::postgres) async fn beside(
        client: &'a mut Client,
        catalog: &Arc<Catalog>,
    ) -> Result<Self, Error> {
        let transaction = moment(client).await?;
        // The first look.
        super::has_table(&transaction, "_carnet_version").await?;
        Ok(Source { transaction, place: "the database", catalog: catalog.clone(), notes: Vec::new() })
    }
}

impl Source<'_> {
    pub(in crate::store) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(in crate::store) async fn extent(&mut self, position: usize) -> Result<(u64, i64), CopyError> {
        let collection = self.catalog.at(position);
        let read = async {
            if !super::has_table(&self.transaction, collection.name()).await? {
                return Ok((0, 0));
            }
            let count = format!("SELECT count(*) FROM {}", quote(collection.name()));
            let count: i64 = self.transaction.query_one(&count, &[]).await?.try_get(0)?;
            Ok((count.unsigned_abs(), super::counter(&self.transaction, collection).await?))
        };
        read.await.map_err(|error: Error| failed(self.place, &error))
    }

    pub(in crate::store) async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        let collection = self.catalog.at(position);
        let has_table = super::has_table(&self.transaction, collection.name()).await;
        if !has_table.map_err(|error| failed(self.place, &error))? {
            return Ok(outlet.sum());
        }
        super::read(&self.transaction, self.place, collection, outlet).await
    }

    /// Goes through what is extracted; a table that is not made yet has nothing in it.
    pub(in crate::store) async fn pass(&mut self, pass: Pass) -> Result<Pass, CopyError> {
        let has_table = super::has_table(&self.transaction, pass.extract.of().name()).await;
        match has_table.map_err(|error| failed(self.place, &error))? {
            true => super::pass(&self.transaction, self.place, pass).await,
            false => Ok(pass),
        }
    }

    pub(in crate::store) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        super::keys(&self.transaction).await.map_err(|error| failed(self.place, &error))
    }

    /// Which store it is; one of before there were ids has none.
    pub(in crate::store) async fn id(&mut self) -> Result<Option<StoreId>, CopyError> {
        let read = async {
            match super::has_table(&self.transaction, "_carnet_store").await? {
                true => store_id::read(&self.transaction).await.map(Some),
                false => Ok(None),
            }
        };
        read.await.map_err(|error| failed(self.place, &error))
    }

    /// Where its trail ends; a store of before there was one has none.
    pub(in crate::store) async fn trail(&mut self) -> Result<Head, CopyError> {
        let read = async {
            match super::has_table(&self.transaction, "_carnet_audit_head").await? {
                true => audit::head(&self.transaction).await,
                false => Ok(Head::beginning()),
            }
        };
        read.await.map_err(|error| failed(self.place, &error))
    }

    pub(in crate::store) async fn whole_trail(&mut self) -> Result<Trail, CopyError> {
        let read = async {
            match super::has_table(&self.transaction, "_carnet_audit_head").await? {
                true => audit::read(&self.transaction).await,
                false => Ok(Trail::empty()),
            }
        };
        read.await.map_err(|error| failed(self.place, &error))
    }

    /// What is wrong with what is stored, of the same moment as all else. Rules and indexes are the server's to keep.
    pub(in crate::store) async fn faults(&mut self) -> Result<Vec<String>, CopyError> {
        let mut faults = self.dangling().await.map_err(|error| failed(self.place, &error))?;
        faults.extend(self.whole_trail().await?.fault());
        Ok(faults)
    }

    /// Whoever writes as a replica does is not held to references.
    async fn dangling(&self) -> Result<Vec<String>, Error> {
        let mut faults = Vec::new();
        for collection in self.catalog.collections() {
            if !super::has_table(&self.transaction, collection.name()).await? {
                continue;
            }
            for field in collection.fields() {
                let Some(reference) = field.reference() else { continue };
                let target = self.catalog.at(reference.target).name();
                let (table, column) = (quote(collection.name()), quote(field.name()));
                let text = format!(
                    "SELECT id FROM {table} AS r WHERE {column} IS NOT NULL \
                     AND NOT EXISTS (SELECT FROM {} AS t WHERE t.id = r.{column}) ORDER BY id LIMIT {MOST_FAULTS}",
                    quote(target)
                );
                for row in self.transaction.query(&text, &[]).await? {
                    let id: i64 = row.try_get(0)?;
                    faults.push(format!(
                        "the record {id} of {} refers to no record of {target}",
                        collection.name()
                    ));
                }
            }
        }
        Ok(faults)
    }
}
