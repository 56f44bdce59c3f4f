//! What the records of a page refer to (`expand`), of the same moment as the page.

use super::backend::Backend;
use super::completion::complete;
use super::embedded::Embedded;
use super::list_request::ListRequest;
use super::sequence::Found;
use super::view::{View, prefetch};
use crate::record::{RecordId, members};
use crate::store::StoreError;
use crate::store::page::PIECE;

/// Reads what a page refers to; `None` where some of it has changed since the moment of the page.
pub(super) async fn embed(
    backend: &impl Backend,
    request: &mut ListRequest<'_, '_>,
    view: &View,
) -> Result<Option<Embedded>, StoreError> {
    let mut embedded = Embedded::default();
    let Some(expansion) = &request.listing.expansion else { return Ok(Some(embedded)) };
    for &position in &expansion.fields {
        let Some(reference) = request.collection.fields()[position].reference() else { continue };
        let records = view.records();
        let mut ids: Vec<RecordId> = records
            .filter_map(|(_, record)| members::reference(request.collection, record, position))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let found = Found { total: ids.len() as u64, offset: 0, ids, next: None };
        let Some(mut referred) = backend.cache().view_of(reference.target, view.version, found) else {
            return Ok(None);
        };
        referred.allow_absent();
        let target = backend.cache().catalog().at(reference.target);
        let mut of_target = ListRequest { collection: target, listing: request.listing, room: request.room };
        complete(backend, &mut of_target, &mut referred).await?;
        if !referred.is_complete() {
            return Ok(None);
        }
        let records: Vec<(RecordId, &[u8])> = referred.records().collect();
        prefetch(records.iter().map(|(_, record)| *record));
        embedded.extend(position, &records);
    }
    if embedded.bytes() >= PIECE && !(request.room)(embedded.bytes()) {
        return Err(StoreError::NoRoom);
    }
    Ok(Some(embedded))
}
