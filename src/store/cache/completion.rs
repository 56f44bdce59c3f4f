//! What a page lacks: read from the database, and put into its place where it is of the same moment.

use std::collections::HashSet;

use super::backend::{Backend, catch_up};
use super::list_request::ListRequest;
use super::view::{Read, View};
use crate::store::StoreError;

/// What each record of a list takes while it is made, beside its bytes.
const EACH_RECORD: u64 = 96;
/// Lists of more records ask for room before they are made.
const LONG_LIST: u64 = 1_024;

/// Reads what a page lacks, and says what was read.
pub(super) async fn complete(
    backend: &impl Backend,
    request: &mut ListRequest<'_, '_>,
    view: &mut View,
) -> Result<Option<(u64, Vec<Read>)>, StoreError> {
    let cache = backend.cache();
    let length = view.ids.len() as u64;
    if length > LONG_LIST && !(request.room)(usize::try_from(length * EACH_RECORD).unwrap_or(usize::MAX)) {
        return Err(StoreError::NoRoom);
    }
    let wanted = view.missing(|key| cache.is_worth_reading(key));
    if wanted.is_empty() {
        return Ok(None);
    }
    let (read_at, read) = backend.read_blocks(request.collection, wanted, request.room).await?;
    catch_up(backend, read_at).await?;
    fill_in(backend, view, read_at, &read);
    cache.keep(read_at, read.clone());
    Ok(Some((read_at, read)))
}

/// Puts what was read into its place, as far as it is of the same moment.
pub(super) fn fill_in(backend: &impl Backend, view: &mut View, read_at: u64, read: &[Read]) {
    if read_at == view.version {
        view.fill_in(read, &HashSet::new());
        return;
    }
    let Some((key, ..)) = read.first() else { return };
    if let Some(changed) = backend.cache().changed_since(key.collection, read_at.min(view.version)) {
        view.fill_in(read, &changed);
    }
}
