//! From one store into another: all collections, ids and keys, wholly or not at all.
//!
//! Both ends are one transaction each. A batch of records is read while the one before it is written; what was written
//! is read back and compared before it is committed.

mod ends;
pub(super) mod failure;
mod look;
mod outlet;
mod progress;
pub(super) mod rows;
mod summary;

use std::sync::Arc;

use tokio::sync::mpsc;

use super::audit::Deed;
use super::keys::KeyRow;
use super::url::StorageUrl;
use super::{postgres, sqlite};
use crate::catalog::Catalog;
use ends::Target;
pub(super) use ends::{Care, MOST_FAULTS, Source, reached};
pub use failure::CopyError;
pub(super) use look::{Looked, look};
pub(super) use outlet::Outlet;
pub(super) use progress::tell;
pub use progress::{Copied, Progress, Watch};
use rows::{Sum, Tally};
pub use summary::Summary;

/// How many batches may wait between the reader and the writer.
const WAITING: usize = 4;

/// How to copy, beyond from where to where.
pub struct Order<'a> {
    pub from: &'a StorageUrl,
    pub to: &'a StorageUrl,
    pub catalog: Arc<Catalog>,
    /// Whether to write a database on a network file system all the same.
    pub any_filesystem: bool,
    /// Whether the file that is made has the trail of the source as its own, as a backup has it.
    pub keeps_trail: bool,
    /// Whether a server that is read from has half of the time to itself.
    pub rests: bool,
}

/// Copies all that the catalog declares. When this fails, or is dropped, the target is as it was.
pub async fn copy(order: &Order<'_>, watch: &Watch) -> Result<Summary, CopyError> {
    let Order { from, to, catalog, any_filesystem, keeps_trail, rests } = order;
    let (mut from_server, mut to_server) = (reached(from).await?, reached(to).await?);
    refuse_same(from, to, from_server.as_ref(), to_server.as_ref()).await?;
    let needs_unicode = matches!(to, StorageUrl::Postgres(_));
    let mut source = Source::open(from, &mut from_server, catalog, needs_unicode).await?;
    for note in source.notes() {
        tell(watch, Progress::Left(note));
    }
    let mut target = Target::open(to, &mut to_server, catalog, *any_filesystem, *rests).await?;

    let mut sums = Vec::new();
    for collection in catalog.collections() {
        let position = collection.position();
        let name = collection.name().to_owned();
        let (records, counter) = source.extent(position).await?;
        tell(watch, Progress::Copying { name: name.clone(), records });
        let (sender, receiver) = mpsc::channel(WAITING);
        let outlet = Outlet::new(Some(sender), watch.clone()).resting(*rests);
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
    if let Some(id) = source.id().await? {
        target.write_id(id).await?;
    }
    match keeps_trail {
        true => target.write_trail(source.whole_trail().await?).await?,
        false => target.record(Deed::copied(&from.to_string(), &source.trail().await?)).await?,
    }

    let mut summary = Summary { keys: keys.len(), ..Summary::default() };
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
