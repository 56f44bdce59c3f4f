//! A look at a store of one moment: what is in it, and what is wrong with it.

use std::sync::Arc;

use super::ends::{Care, Source, reached};
use super::failure::CopyError;
use super::outlet::Outlet;
use super::progress::{Copied, Progress, Watch, tell};
use super::summary::Summary;
use crate::catalog::Catalog;
use crate::store::url::StorageUrl;

pub(in crate::store) struct Looked {
    pub(in crate::store) summary: Summary,
    /// In words; where there are any, nothing was counted.
    pub(in crate::store) faults: Vec<String>,
}

/// Reads everything that the catalog declares. Nothing is changed. A file is read in half of the time, if it `rests`.
pub(in crate::store) async fn look(
    url: &StorageUrl,
    catalog: &Arc<Catalog>,
    care: Care,
    rests: bool,
    watch: &Watch,
) -> Result<Looked, CopyError> {
    let mut server = reached(url).await?;
    let mut source = Source::open(url, &mut server, catalog, false).await?;
    if rests {
        source.throttle().await?;
    }
    let mut summary = Summary::default();
    let faults = source.faults(care).await?;
    if !faults.is_empty() {
        return Ok(Looked { summary, faults });
    }
    for collection in catalog.collections() {
        let (position, name) = (collection.position(), collection.name().to_owned());
        let (records, _) = source.extent(position).await?;
        tell(watch, Progress::Reading { name: name.clone(), records });
        let sum = source.read(position, Outlet::new(None, watch.clone())).await?;
        let copied = Copied { name, records: sum.records, digest: sum.digest };
        tell(watch, Progress::Compared(copied.clone()));
        summary.collections.push(copied);
    }
    summary.keys = source.keys().await?.len();
    summary.undeclared = source.undeclared().await?;
    Ok(Looked { summary, faults })
}
