//! Reads what is asked for: for a command, or for a server, whose store is open already.

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::pass::{Extract, Form, Pass};
use crate::store::copy::{CopyError, Source, reached};
use crate::store::url::StorageUrl;
use crate::store::{Store, StoreError, StoreId};

/// How many pieces may wait to be taken.
const WAITING: usize = 4;

/// Where pieces go, and where they come from: each with the number of records that it ends.
pub type Pieces = (mpsc::Sender<(u64, Bytes)>, mpsc::Receiver<(u64, Bytes)>);

/// Between whoever reads and whoever takes what was read.
pub fn pieces() -> Pieces {
    mpsc::channel(WAITING)
}

/// Reads from a store that may be served meanwhile; answers the number of records. Nothing is changed.
///
/// `make` is told which store it is, and says what comes before the first record, and what is made of each; `None`
/// where it cannot be without an id.
pub async fn extract(
    url: &StorageUrl,
    extract: Extract,
    make: impl FnOnce(Option<StoreId>) -> Option<(Vec<u8>, Form)>,
    onward: mpsc::Sender<(u64, Bytes)>,
) -> Result<u64, CopyError> {
    let mut server = reached(url).await?;
    let mut source = Source::open(url, &mut server, &extract.catalog, false).await?;
    let (head, form) = make(source.id().await?).ok_or_else(|| CopyError::NotInLine {
        place: url.to_string(),
        changes: vec!["give it an id".to_owned()],
    })?;
    read(&mut source, Pass::new(extract, form, head, onward)).await
}

/// Told once the moment is held of which everything will be, or why it cannot be.
pub type Beginning = oneshot::Sender<Result<(), StoreError>>;

/// Reads from the store of a running server, on a connection of its own.
pub async fn extract_served(
    store: &Store,
    extract: Extract,
    (head, form): (Vec<u8>, Form),
    onward: mpsc::Sender<(u64, Bytes)>,
    begun: Beginning,
) -> Result<u64, CopyError> {
    let pass = Pass::new(extract, form, head, onward);
    match store {
        Store::Sqlite(engine) => match engine.moment().await {
            Ok(source) => {
                let _ = begun.send(Ok(()));
                read(&mut Source::Sqlite(source), pass).await
            }
            Err(error) => refuse(begun, error),
        },
        Store::Postgres(engine) => match engine.moment_conn().await {
            Ok(mut conn) => match engine.moment(&mut conn).await {
                Ok(source) => {
                    let _ = begun.send(Ok(()));
                    read(&mut Source::Postgres(source), pass).await
                }
                Err(error) => refuse(begun, error),
            },
            Err(error) => refuse(begun, error),
        },
    }
}

fn refuse(begun: Beginning, error: StoreError) -> Result<u64, CopyError> {
    let _ = begun.send(Err(error));
    Err(CopyError::Stopped)
}

/// Goes through the records; where a search finds nothing, once more with its typos forgiven, as a list does.
async fn read(source: &mut Source<'_>, pass: Pass) -> Result<u64, CopyError> {
    let mut pass = source.pass(pass).await?;
    if pass.found_nothing() && source.pass(pass.probe()).await?.records == 0 {
        pass.forgive();
        pass = source.pass(pass).await?;
    }
    pass.finish().await
}
