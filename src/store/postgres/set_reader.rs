//! Reads sets whole, on a connection of its own.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, pin_mut};
use tokio_postgres::Error;

use super::change_feed;
use super::group_error::words;
use super::kind::Bound;
use super::prepared_conn::PreparedConn;
use super::row;
use super::session::Session;
use super::sql;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::store::StoreError;
use crate::store::cache::Cache;
use crate::store::cache::backend;
use crate::store::cache::builder::SetReader;
use crate::store::cache::ids::{Ids, IdsBuilder};
use crate::store::cache::scan::{Each, Scan};
use crate::store::cache::set_key::SetKey;

/// A copy in binary begins with a signature, flags and the length of an extension; each row with its number of
/// columns, each column with its length.
const COPY_HEADER: usize = 19;
const COPY_ROW: usize = 14;

/// What reading a set takes: a connection of its own.
pub(super) struct TableReader {
    pub(super) session: Arc<Session>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) conn: PreparedConn,
}

impl SetReader for TableReader {
    async fn read_set(&self, _: &Cache, key: &SetKey) -> Result<Ids, StoreError> {
        let mut ids = IdsBuilder::default();
        self.at_one_moment(self.catalog.at(key.collection), self.read(key, &mut ids)).await?;
        Ok(ids.finish())
    }

    async fn scan(&self, _: &Cache, scan: Scan<'_>, each: &mut Each<'_>) -> Result<(), StoreError> {
        self.session.observer.store().scanned();
        self.at_one_moment(scan.collection, self.scan_rows(scan, each)).await
    }
}

impl TableReader {
    /// Reads inside one transaction that sees one moment, and has memory follow up to it.
    async fn at_one_moment(
        &self,
        collection: &Collection,
        read: impl Future<Output = Result<(), Error>>,
    ) -> Result<(), StoreError> {
        let client = &self.conn.client;
        let version = async {
            client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
            // Before the first question, which fixes the moment: a table that another tool rewrites meanwhile
            // (ALTER TABLE) looks empty to whoever has asked before.
            client.batch_execute(&sql::keep_from_rewriting(collection)).await?;
            let version = change_feed::newest(&self.conn).await?;
            read.await?;
            client.batch_execute("COMMIT").await?;
            Ok(version)
        };
        match version.await {
            Ok(version) => backend::catch_up(&*self.session, version).await,
            Err(error) => {
                let error: Error = error;
                if client.batch_execute("ROLLBACK").await.is_err() {
                    self.session.lifetime.end("a set of ids could not be read");
                }
                Err(StoreError::Broken(words(&error)))
            }
        }
    }

    async fn read(&self, key: &SetKey, ids: &mut IdsBuilder) -> Result<(), Error> {
        let (client, collection) = (&self.conn.client, self.catalog.at(key.collection));
        if key.is_all() {
            let copy = client.copy_out(&sql::all_ids(collection)).await?;
            pin_mut!(copy);
            while let Some(row) = copy.next().await {
                if let Some(id) = copied_id(&row?) {
                    ids.add(id);
                }
            }
            return Ok(());
        }
        let conditions = key.conditions(collection);
        let conditions = conditions.iter().map(|(on, condition)| (*on, condition));
        let (text, values) = sql::all_matching(collection, conditions);
        let rows = client.query_raw(&text, values.into_iter().map(Bound)).await?;
        pin_mut!(rows);
        while let Some(row) = rows.try_next().await? {
            if let Some(id) = RecordId::new(row.try_get(0)?) {
                ids.add(id);
            }
        }
        Ok(())
    }

    async fn scan_rows(&self, scan: Scan<'_>, each: &mut Each<'_>) -> Result<(), Error> {
        let (text, values) = sql::scan(&scan);
        let rows = self.conn.client.query_raw(&text, values.into_iter().map(Bound)).await?;
        pin_mut!(rows);
        let mut values = scan.no_values();
        while let Some(row) = rows.try_next().await? {
            let Some(id) = row::id(&row, 0)? else { continue };
            row::read_some(&row, scan.collection, &scan.fields, 1, &mut values)?;
            if !each(id, &values) {
                break;
            }
        }
        Ok(())
    }
}

/// The id in one message of a copy: a row, perhaps behind the header; the trailer holds none.
fn copied_id(message: &[u8]) -> Option<RecordId> {
    let row = match message.len() {
        COPY_ROW => message,
        length if length == COPY_HEADER + COPY_ROW => &message[COPY_HEADER..],
        _ => return None,
    };
    let (head, id) = row.split_at(COPY_ROW - 8);
    // One column of eight bytes.
    if head != [0, 1, 0, 0, 0, 8] {
        return None;
    }
    RecordId::new(i64::from_be_bytes(id.try_into().ok()?))
}
