//! The two ends of a copy, on either engine.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::failure::CopyError;
use super::outlet::Outlet;
use super::rows::{Batch, Sum};
use crate::catalog::Catalog;
use crate::store::audit::{Deed, Head, Trail};
use crate::store::extract::Pass;
use crate::store::keys::KeyRow;
use crate::store::url::StorageUrl;
use crate::store::{StoreId, postgres, sqlite};

/// How closely a store is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Care {
    /// As far as a copy can have gone wrong: the pages and the references.
    Quick,
    /// Every index and every rule, too.
    Thorough,
}

/// So many faults are named at the most, as SQLite does of its own accord.
pub(in crate::store) const MOST_FAULTS: usize = 100;

/// The server of a store that is on one.
pub(in crate::store) async fn reached(
    url: &StorageUrl,
) -> Result<Option<postgres::copy::Reached>, CopyError> {
    match url {
        StorageUrl::Sqlite(_) => Ok(None),
        StorageUrl::Postgres(url) => postgres::copy::Reached::find(url).await.map(Some),
    }
}

/// A store as it was at one moment.
pub(in crate::store) enum Source<'a> {
    Sqlite(sqlite::copy::Source),
    Postgres(postgres::copy::Source<'a>),
}

impl<'a> Source<'a> {
    /// Opens a store that is ours and in line with the catalog. `needs_unicode` refuses text that PostgreSQL cannot hold.
    pub(in crate::store) async fn open(
        url: &StorageUrl,
        server: &'a mut Option<postgres::copy::Reached>,
        catalog: &Arc<Catalog>,
        needs_unicode: bool,
    ) -> Result<Self, CopyError> {
        match (url, server) {
            (StorageUrl::Postgres(_), Some(server)) => Ok(Self::Postgres(server.source(catalog).await?)),
            (StorageUrl::Sqlite(path), _) => {
                Ok(Self::Sqlite(sqlite::copy::Source::open(path, catalog, needs_unicode).await?))
            }
            (StorageUrl::Postgres(_), None) => Err(CopyError::NoSource(url.to_string())),
        }
    }

    /// From now on leaves half of the time to others, where it is a file.
    pub(in crate::store) async fn throttle(&mut self) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(source) => source.throttle().await,
            Self::Postgres(_) => Ok(()),
        }
    }

    /// What is stored and not declared, in words.
    pub(in crate::store) fn notes(&mut self) -> Vec<String> {
        match self {
            Self::Sqlite(source) => source.notes(),
            Self::Postgres(source) => source.notes(),
        }
    }

    /// The number of records, and the largest id that was ever given.
    pub(in crate::store) async fn extent(&mut self, position: usize) -> Result<(u64, i64), CopyError> {
        match self {
            Self::Sqlite(source) => source.extent(position).await,
            Self::Postgres(source) => source.extent(position).await,
        }
    }

    /// All records in ascending order of ids.
    pub(in crate::store) async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        match self {
            Self::Sqlite(source) => source.read(position, outlet).await,
            Self::Postgres(source) => source.read(position, outlet).await,
        }
    }

    /// Goes through what is extracted, in ascending order of ids.
    pub(in crate::store) async fn pass(&mut self, pass: Pass) -> Result<Pass, CopyError> {
        match self {
            Self::Sqlite(source) => source.pass(pass).await,
            Self::Postgres(source) => source.pass(pass).await,
        }
    }

    /// The access keys in the order of their names.
    pub(in crate::store) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        match self {
            Self::Sqlite(source) => source.keys().await,
            Self::Postgres(source) => source.keys().await,
        }
    }

    /// Which store it is; `None` until a version that knows ids was started on it.
    pub(in crate::store) async fn id(&mut self) -> Result<Option<StoreId>, CopyError> {
        match self {
            Self::Sqlite(source) => source.id().await,
            Self::Postgres(source) => source.id().await,
        }
    }

    /// Where its trail ends.
    pub(in crate::store) async fn trail(&mut self) -> Result<Head, CopyError> {
        match self {
            Self::Sqlite(source) => source.trail().await,
            Self::Postgres(source) => source.trail().await,
        }
    }

    /// All of its trail.
    pub(in crate::store) async fn whole_trail(&mut self) -> Result<Trail, CopyError> {
        match self {
            Self::Sqlite(source) => source.whole_trail().await,
            Self::Postgres(source) => source.whole_trail().await,
        }
    }

    /// Tables with records that no collection is declared for: in a database of a server they are somebody else's.
    pub(in crate::store) async fn undeclared(&mut self) -> Result<Vec<(String, u64)>, CopyError> {
        match self {
            Self::Sqlite(source) => source.undeclared().await,
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// What is wrong with what is stored, in words.
    pub(in crate::store) async fn faults(&mut self, care: Care) -> Result<Vec<String>, CopyError> {
        match self {
            Self::Sqlite(source) => source.faults(care).await,
            Self::Postgres(source) => source.faults().await,
        }
    }
}

/// A store that was empty, inside the transaction that fills it. Dropped, it is empty again.
pub(super) enum Target<'a> {
    Sqlite(sqlite::copy::Target),
    Postgres(postgres::copy::Target<'a>),
}

impl<'a> Target<'a> {
    /// Opens a store that is empty, and makes it where there is none. `any_filesystem` takes a network's, too; a file
    /// that `rests` leaves half of the time to others.
    pub(super) async fn open(
        url: &StorageUrl,
        server: &'a mut Option<postgres::copy::Reached>,
        catalog: &Arc<Catalog>,
        any_filesystem: bool,
        rests: bool,
    ) -> Result<Self, CopyError> {
        match (url, server) {
            (StorageUrl::Postgres(_), Some(server)) => Ok(Self::Postgres(server.target(catalog).await?)),
            (StorageUrl::Sqlite(path), _) => {
                Ok(Self::Sqlite(sqlite::copy::Target::open(path, catalog, any_filesystem, rests).await?))
            }
            (StorageUrl::Postgres(_), None) => Err(CopyError::NoSource(url.to_string())),
        }
    }

    /// Takes records until no more come. The next id that is given will be beyond `counter`.
    pub(super) async fn write(
        &mut self,
        position: usize,
        counter: i64,
        batches: mpsc::Receiver<Batch>,
    ) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.write(position, counter, batches).await,
            Self::Postgres(target) => target.write(position, counter, batches).await,
        }
    }

    /// Makes what is better made when all records are there.
    pub(super) async fn index(&mut self, position: usize) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.index(position).await,
            Self::Postgres(target) => target.index(position).await,
        }
    }

    pub(super) async fn write_keys(&mut self, keys: Vec<KeyRow>) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.write_keys(keys).await,
            Self::Postgres(target) => target.write_keys(keys).await,
        }
    }

    /// Becomes the same store as the source.
    pub(super) async fn write_id(&mut self, id: StoreId) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.write_id(id).await,
            Self::Postgres(target) => target.write_id(id).await,
        }
    }

    /// Takes over the trail of the source as it is, into a file; a database keeps its own.
    pub(super) async fn write_trail(&mut self, trail: Trail) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.write_trail(trail).await,
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Puts into its trail where all of it came from. The trail of the source stays there.
    pub(super) async fn record(&mut self, deed: Deed) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.record(deed).await,
            Self::Postgres(target) => target.record(deed).await,
        }
    }

    pub(super) async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        match self {
            Self::Sqlite(target) => target.read(position, outlet).await,
            Self::Postgres(target) => target.read(position, outlet).await,
        }
    }

    pub(super) async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        match self {
            Self::Sqlite(target) => target.keys().await,
            Self::Postgres(target) => target.keys().await,
        }
    }

    pub(super) async fn commit(self) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.commit().await,
            Self::Postgres(target) => target.commit().await,
        }
    }
}
