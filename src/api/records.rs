//! List and fetch: parse, ask the store, respond.

use super::context::RequestContext;
use super::error::ApiError;
use super::{content, envelope};
use crate::catalog::collection::Collection;
use crate::http::{Bytes, Content, HeaderValue, Request, Response, StatusCode, header, response};
use crate::record::etag::{ETag, ExpandedETag};
use crate::record::expansion::Expansion;
use crate::record::fetching::Fetching;
use crate::record::listing::Listing;
use crate::record::projection::Projection;
use crate::record::{RecordId, expansion};
use crate::store::{Records, StoreError};

/// Answers a page of the records that match.
pub(super) async fn list(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    let query = std::mem::take(&mut context.query);
    let listing =
        Listing::parse(collection, query.iter()).map_err(|error| ApiError::listing(collection, error))?;
    context.timing.mark("listing");
    let mut room = request.room();
    let page = app.store.list(collection, &listing, &mut |bytes| room.take(bytes)).await?;
    context.timing.mark("store");
    let link = envelope::link(collection, &listing, &page, request.longest_url(), || app.base_url(request));
    let content = envelope::write(collection, &listing, page);
    context.timing.mark("envelope");
    context.is_lasting = true;
    let mut response = response::json(StatusCode::OK, content.within(room));
    if let Some(link) = link.and_then(|link| HeaderValue::from_maybe_shared(link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    Ok(response)
}

/// Answers one record.
pub(super) async fn fetch(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    id: RecordId,
    request: &Request,
) -> Result<Response, ApiError> {
    let fetching = match Fetching::parse(collection, context.query.iter()) {
        // Rare, and boxed: every request would have the room for it otherwise.
        Ok(Fetching { projection, expansion: Some(expansion) }) => {
            return Box::pin(fetch_expanded(context, collection, id, (projection, expansion), request)).await;
        }
        read => read,
    };
    // The record is judged before the query.
    let record = context.app.store.fetch(collection, id).await?.ok_or(ApiError::NotFound)?;
    context.timing.mark("store");
    let fetching = fetching.map_err(|error| ApiError::listing(collection, error))?;
    let is_held = content::if_none_match(request.headers()).is_some_and(|held| held.matches(&record));
    // Of the whole record whatever is shown of it: a write may be guarded with it.
    let tag = tag(&record);
    let shown = match fetching.projection {
        Some(projection) => projection.of(collection, &record).into(),
        None => record,
    };
    if is_held {
        return Ok(held(request, shown.len(), tag));
    }
    context.is_lasting = true;
    Ok(tagged(response::json(StatusCode::OK, shown), tag))
}

/// Answers one record with what it refers to, of the same moment: a list of one.
async fn fetch_expanded(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    id: RecordId,
    (projection, expansion): (Option<Projection>, Expansion),
    request: &Request,
) -> Result<Response, ApiError> {
    let listing = Listing::of_record(id, expansion);
    let mut room = request.room();
    let page = context.app.store.list(collection, &listing, &mut |bytes| room.take(bytes)).await?;
    context.timing.mark("store");
    if page.total == 0 {
        return Err(ApiError::NotFound);
    }
    let expanded = match page.records {
        Records::Joined(record) => record,
        Records::Pieces(pieces) => pieces.iter().flat_map(|piece| &piece.bytes[..]).copied().collect(),
    };
    let broken = || StoreError::Broken("a record was read without what it refers to".into());
    let (record, embedded) = expansion::split(&expanded).ok_or_else(broken)?;
    let tag = ExpandedETag::of(&record, embedded);
    let is_held = content::holds_expanded(request.headers(), tag);
    let tag = HeaderValue::from_str(&tag.to_string()).unwrap_or(HeaderValue::from_static("\"\""));
    let shown = match projection {
        Some(projection) => expansion::join(projection.of(collection, &record), embedded),
        None => expanded,
    };
    if is_held {
        return Ok(held(request, shown.len(), tag));
    }
    context.is_lasting = true;
    Ok(tagged(response::json(StatusCode::OK, Content::from(shown).within(room)), tag))
}

/// Answers a document that a client may keep, and need not get again while it stays the same.
pub(super) fn kept(request: &Request, document: Bytes) -> Response {
    let is_held = content::if_none_match(request.headers()).is_some_and(|held| held.matches(&document));
    let tag = tag(&document);
    let mut response = if is_held {
        held(request, document.len(), tag)
    } else {
        tagged(response::json(StatusCode::OK, document), tag)
    };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// The answer to a client that has it already, so many bytes.
fn held(request: &Request, length: usize, tag: HeaderValue) -> Response {
    // What the answer would be called with its bytes, which may be compressed.
    let tag = match request.coding(length) {
        Some(coding) => coding.tag(&tag).unwrap_or(tag),
        None => tag,
    };
    tagged(response::not_modified(length), tag)
}

/// The tag of a representation, as a header has it.
pub(super) fn tag(record: &[u8]) -> HeaderValue {
    // Hexadecimal digits between quotes: nothing that a header could not hold.
    HeaderValue::from_bytes(&ETag::of(record).text()).unwrap_or(HeaderValue::from_static("\"\""))
}

pub(super) fn tagged(mut response: Response, tag: HeaderValue) -> Response {
    response.headers_mut().insert(header::ETAG, tag);
    response
}
