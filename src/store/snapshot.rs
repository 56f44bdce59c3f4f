//! All records of a collection as they were at one moment, for whoever must see every one of them.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::copy::rows::next_row;
use super::copy::{CopyError, Outlet, Source, reached};
use super::url::StorageUrl;
use super::{Store, StoreError, StoreId};
use crate::catalog::Catalog;
use crate::record::RecordId;
use crate::record::value::Cell;

/// How many pieces are read ahead.
const AHEAD: usize = 4;

/// A store as it was at one moment. Where there was none, it is empty.
pub struct Snapshot<'a> {
    source: Option<Source<'a>>,
    catalog: Arc<Catalog>,
}

/// Which store a snapshot is of.
#[derive(Clone, Copy)]
pub enum Of<'a> {
    /// Any, beside whoever uses it.
    Url(&'a StorageUrl),
    /// The one that this process serves.
    Served(&'a Store),
}

/// Opens a snapshot, and has it used.
pub async fn with<T>(
    of: Of<'_>,
    catalog: &Arc<Catalog>,
    work: impl AsyncFnOnce(&mut Snapshot<'_>) -> Result<T, CopyError>,
) -> Result<T, CopyError> {
    let catalog = catalog.clone();
    let failed =
        |error: StoreError| CopyError::Failed { place: "the store".into(), cause: error.to_string() };
    match of {
        Of::Url(url) => {
            let mut server = reached(url).await?;
            let source = match Source::open(url, &mut server, &catalog, false).await {
                Err(CopyError::NoSource(_)) => None,
                opened => Some(opened?),
            };
            work(&mut Snapshot { source, catalog: catalog.clone() }).await
        }
        Of::Served(Store::Sqlite(engine)) => {
            let source = Some(Source::Sqlite(engine.moment().await.map_err(failed)?));
            work(&mut Snapshot { source, catalog }).await
        }
        Of::Served(Store::Postgres(engine)) => {
            let mut conn = engine.moment_conn().await.map_err(failed)?;
            let source = Some(Source::Postgres(engine.moment(&mut conn).await.map_err(failed)?));
            work(&mut Snapshot { source, catalog }).await
        }
    }
}

/// Which store it is; where there is none, none that there is.
pub async fn store_id(url: &StorageUrl, catalog: &Arc<Catalog>) -> Result<StoreId, CopyError> {
    let read = with(Of::Url(url), catalog, async |snapshot| match &mut snapshot.source {
        Some(source) => source.id().await,
        None => Ok(None),
    });
    Ok(read.await?.unwrap_or(StoreId::new([0; 16])))
}

impl Snapshot<'_> {
    /// The number of records, and the largest id that was ever given.
    pub async fn extent(&mut self, position: usize) -> Result<(u64, i64), CopyError> {
        match &mut self.source {
            Some(source) => source.extent(position).await,
            None => Ok((0, 0)),
        }
    }

    /// Shows every record, in ascending order of ids.
    pub async fn each(
        &mut self,
        position: usize,
        mut visit: impl FnMut(RecordId, &[Cell<'_>]),
    ) -> Result<(), CopyError> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let collection = self.catalog.at(position);
        let (onward, mut pieces) = mpsc::channel(AHEAD);
        let (watch, mut events) = mpsc::unbounded_channel();
        let reading = source.read(position, Outlet::new(Some(onward), watch));
        let showing = async {
            while let Some(piece) = pieces.recv().await {
                while events.try_recv().is_ok() {}
                let mut rows = &piece.rows[..];
                let mut cells = Vec::new();
                while let Some(id) = next_row(&mut rows, collection, &mut cells) {
                    if let Some(id) = RecordId::new(id) {
                        visit(id, &cells);
                    }
                }
            }
        };
        tokio::join!(reading, showing).0.map(|_| ())
    }
}
