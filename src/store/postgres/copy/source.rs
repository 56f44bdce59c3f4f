//! A database that is copied from: one snapshot, also while others write.

use std::sync::Arc;

use tokio_postgres::{Client, Error, IsolationLevel, Transaction};

use super::{Reached, failed};
use crate::catalog::Catalog;
use crate::store::OpenError;
use crate::store::audit::Head;
use crate::store::copy::rows::Sum;
use crate::store::copy::{CopyError, Outlet};
use crate::store::ident::quote;
use crate::store::keys::KeyRow;
use crate::store::migration::MigrationPlan;
use crate::store::postgres::{audit, prepare, tables};

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

async fn begin<'a>(
    client: &'a mut Client,
    catalog: &Catalog,
) -> Result<(Transaction<'a>, bool, MigrationPlan), Error> {
    let level = IsolationLevel::RepeatableRead;
    let transaction = client.build_transaction().isolation_level(level).read_only(true).start().await?;
    // The target may keep us waiting.
    transaction.batch_execute("SET LOCAL idle_in_transaction_session_timeout = 0").await?;
    let is_ours = super::has_table(&transaction, "_carnet_version").await?;
    let plan = tables::plan(&transaction, catalog).await?;
    Ok((transaction, is_ours, plan))
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

    pub(in crate::store) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        super::keys(&self.transaction).await.map_err(|error| failed(self.place, &error))
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
}
