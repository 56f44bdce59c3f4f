//! From one store into another: all collections, ids and keys, wholly or not at all.
//!
//! Both ends are one transaction each. A batch of records is read while the one before it is written; what was written
//! is read back and compared before it is committed.

pub(super) mod failure;
mod outlet;
mod progress;
pub(super) mod rows;

use std::sync::Arc;

use tokio::sync::mpsc;

use super::audit::{Deed, Head};
use super::keys::KeyRow;
use super::url::StorageUrl;
use super::{postgres, sqlite};
use crate::catalog::Catalog;
pub use failure::CopyError;
pub(super) use outlet::Outlet;
use progress::tell;
pub use progress::{Copied, Progress, Watch};
use rows::{Batch, Sum, Tally};

/// How many batches may wait between the reader and the writer.
const WAITING: usize = 4;

/// What the whole copy came to.
#[derive(Debug, Default)]
pub struct Summary {
    pub collections: Vec<Copied>,
    pub keys: usize,
}

/// How to copy, beyond from where to where.
pub struct Order<'a> {
    pub from: &'a StorageUrl,
    pub to: &'a StorageUrl,
    pub catalog: Arc<Catalog>,
    /// Whether to write a database on a network file system all the same.
    pub any_filesystem: bool,
}

/// Copies all that the catalog declares. When this fails, or is dropped, the target is as it was.
pub async fn copy(order: &Order<'_>, watch: &Watch) -> Result<Summary, CopyError> {
    let Order { from, to, catalog, any_filesystem } = order;
    let (mut from_server, mut to_server) = (reached(from).await?, reached(to).await?);
    refuse_same(from, to, from_server.as_ref(), to_server.as_ref()).await?;
    let mut source = match (from, &mut from_server) {
        (StorageUrl::Postgres(_), Some(server)) => Source::Postgres(server.source(catalog).await?),
        (StorageUrl::Sqlite(path), _) => {
            let needs_unicode = matches!(to, StorageUrl::Postgres(_));
            Source::Sqlite(sqlite::copy::Source::open(path, catalog, needs_unicode).await?)
        }
        (StorageUrl::Postgres(_), None) => return Err(CopyError::NoSource(from.to_string())),
    };
    for note in source.notes() {
        tell(watch, Progress::Left(note));
    }
    let mut target = match (to, &mut to_server) {
        (StorageUrl::Postgres(_), Some(server)) => Target::Postgres(server.target(catalog).await?),
        (StorageUrl::Sqlite(path), _) => {
            Target::Sqlite(sqlite::copy::Target::open(path, catalog, *any_filesystem).await?)
        }
        (StorageUrl::Postgres(_), None) => return Err(CopyError::NoSource(to.to_string())),
    };

    let mut sums = Vec::new();
    for collection in catalog.collections() {
        let position = collection.position();
        let name = collection.name().to_owned();
        let (records, counter) = source.extent(position).await?;
        tell(watch, Progress::Copying { name: name.clone(), records });
        let (sender, receiver) = mpsc::channel(WAITING);
        let outlet = Outlet::new(Some(sender), watch.clone());
        let (read, written) =
            tokio::join!(source.read(position, outlet), target.write(position, counter, receiver));
        // Where both failed, the reader only because nobody took what it read.
        written?;
        sums.push(read?);
        tell(watch, Progress::Indexing { name });
        target.index(position).await?;
    }
    let keys = source.keys().await?;
    target.write_keys(keys.clone()).await?;
    target.record(Deed::copied(&from.to_string(), &source.trail().await?)).await?;

    let mut summary = Summary { collections: Vec::new(), keys: keys.len() };
    for (collection, sum) in catalog.collections().iter().zip(sums) {
        let name = collection.name().to_owned();
        tell(watch, Progress::Comparing { name: name.clone(), records: sum.records });
        let found = target.read(collection.position(), Outlet::new(None, watch.clone())).await?;
        same(&name, sum, found)?;
        let copied = Copied { name, records: sum.records, digest: sum.digest };
        tell(watch, Progress::Compared(copied.clone()));
        summary.collections.push(copied);
    }
    same("the access keys", sum_of_keys(&keys), sum_of_keys(&target.keys().await?))?;
    tell(watch, Progress::Committing);
    target.commit().await?;
    Ok(summary)
}

/// The server of a store that is on one.
async fn reached(url: &StorageUrl) -> Result<Option<postgres::copy::Reached>, CopyError> {
    match url {
        StorageUrl::Sqlite(_) => Ok(None),
        StorageUrl::Postgres(url) => postgres::copy::Reached::find(url).await.map(Some),
    }
}

/// A store cannot be copied into itself, by whatever names it goes.
async fn refuse_same(
    from: &StorageUrl,
    to: &StorageUrl,
    from_server: Option<&postgres::copy::Reached>,
    to_server: Option<&postgres::copy::Reached>,
) -> Result<(), CopyError> {
    let is_same = match (from, to, from_server, to_server) {
        (StorageUrl::Sqlite(from), StorageUrl::Sqlite(to), _, _) => sqlite::copy::is_same(from, to),
        (_, _, Some(from), Some(to)) => from.identity().await? == to.identity().await?,
        _ => false,
    };
    if is_same { Err(CopyError::SamePlace(from.to_string(), to.to_string())) } else { Ok(()) }
}

fn same(what: &str, read: Sum, found: Sum) -> Result<(), CopyError> {
    match read == found {
        true => Ok(()),
        false => Err(CopyError::Differs { what: what.to_owned(), read: read.records, found: found.records }),
    }
}

fn sum_of_keys(keys: &[KeyRow]) -> Sum {
    let mut tally = Tally::default();
    for key in keys {
        tally.add(1, &key.bytes());
    }
    tally.sum()
}

/// A store as it was at one moment.
enum Source<'a> {
    Sqlite(sqlite::copy::Source),
    Postgres(postgres::copy::Source<'a>),
}

impl Source<'_> {
    /// What is stored and not declared, in words.
    fn notes(&mut self) -> Vec<String> {
        match self {
            Self::Sqlite(source) => source.notes(),
            Self::Postgres(source) => source.notes(),
        }
    }

    /// The number of records, and the largest id that was ever given.
    async fn extent(&mut self, position: usize) -> Result<(u64, i64), CopyError> {
        match self {
            Self::Sqlite(source) => source.extent(position).await,
            Self::Postgres(source) => source.extent(position).await,
        }
    }

    /// All records in ascending order of ids.
    async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        match self {
            Self::Sqlite(source) => source.read(position, outlet).await,
            Self::Postgres(source) => source.read(position, outlet).await,
        }
    }

    /// The access keys in the order of their names.
    async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        match self {
            Self::Sqlite(source) => source.keys().await,
            Self::Postgres(source) => source.keys().await,
        }
    }

    /// Where its trail ends.
    async fn trail(&mut self) -> Result<Head, CopyError> {
        match self {
            Self::Sqlite(source) => source.trail().await,
            Self::Postgres(source) => source.trail().await,
        }
    }
}

/// A store that was empty, inside the transaction that fills it. Dropped, it is empty again.
enum Target<'a> {
    Sqlite(sqlite::copy::Target),
    Postgres(postgres::copy::Target<'a>),
}

impl Target<'_> {
    /// Takes records until no more come. The next id that is given will be beyond `counter`.
    async fn write(
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
    async fn index(&mut self, position: usize) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.index(position).await,
            Self::Postgres(target) => target.index(position).await,
        }
    }

    async fn write_keys(&mut self, keys: Vec<KeyRow>) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.write_keys(keys).await,
            Self::Postgres(target) => target.write_keys(keys).await,
        }
    }

    /// Puts into its trail where all of it came from. The trail of the source stays there.
    async fn record(&mut self, deed: Deed) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.record(deed).await,
            Self::Postgres(target) => target.record(deed).await,
        }
    }

    async fn read(&mut self, position: usize, outlet: Outlet) -> Result<Sum, CopyError> {
        match self {
            Self::Sqlite(target) => target.read(position, outlet).await,
            Self::Postgres(target) => target.read(position, outlet).await,
        }
    }

    async fn keys(&mut self) -> Result<Vec<KeyRow>, CopyError> {
        match self {
            Self::Sqlite(target) => target.keys().await,
            Self::Postgres(target) => target.keys().await,
        }
    }

    async fn commit(self) -> Result<(), CopyError> {
        match self {
            Self::Sqlite(target) => target.commit().await,
            Self::Postgres(target) => target.commit().await,
        }
    }
}
