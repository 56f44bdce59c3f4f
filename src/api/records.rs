//! List, create, fetch, update, delete: parse, ask the store, respond.

use super::access::Caller;
use super::context::RequestContext;
use super::error::ApiError;
use super::{content, envelope, idempotency};
use crate::catalog::collection::Collection;
use crate::http::{Bytes, Content, HeaderValue, Request, Response, StatusCode, header, response};
use crate::record::draft::{Draft, Patch};
use crate::record::etag::{ETag, ExpandedETag};
use crate::record::expansion::Expansion;
use crate::record::fetching::Fetching;
use crate::record::listing::Listing;
use crate::record::projection::Projection;
use crate::record::{RecordId, expansion, representation};
use crate::store::write::{IdempotencyToken, Origin, Write, WriteRequest, Written};
use crate::store::{Records, StoreError};

/// Answers a page of the records that match.
pub(super) async fn list(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &Request,
) -> Result<Response, ApiError> {
    let listing = Listing::parse(collection, context.query.iter())
        .map_err(|error| ApiError::listing(collection, error))?;
    context.timing.mark("listing");
    let mut room = request.room();
    let page = context.app.store.list(collection, &listing, &mut |bytes| room.take(bytes)).await?;
    context.timing.mark("store");
    let link =
        envelope::link(collection, &listing, &page, request.longest_url(), || context.app.base_url(request));
    let mut response =
        response::json(StatusCode::OK, envelope::write(collection, &listing, page).within(room));
    if let Some(link) = link.and_then(|link| HeaderValue::from_maybe_shared(link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    context.timing.mark("envelope");
    Ok(response)
}

/// Creates a record; answers where it now lives.
pub(super) async fn create(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &mut Request,
) -> Result<Response, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let draft = Draft::parse(collection, &body).map_err(|error| ApiError::draft(collection, error))?;
    let token = idempotency::token(&context.caller, collection, None, request, &body)?;
    context.timing.mark("draft");
    let create = Write::Insert { collection: collection.position(), draft };
    write(context, collection, request, create, token).await
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
    Ok(tagged(response::json(StatusCode::OK, Content::from(shown).within(room)), tag))
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

/// Changes what the body names; answers the whole record.
pub(super) async fn update(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    id: RecordId,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let seen = content::if_match(request.headers());
    let accepted = match patch(collection, id, request).await {
        Ok((patch, body)) => idempotency::token(&context.caller, collection, Some(id), request, &body)
            .map(|token| (patch, token)),
        Err(error) => Err(error),
    };
    let (patch, token) = match accepted {
        Ok(accepted) => accepted,
        // The record is judged before the body, and what the client has seen of it before the fields.
        Err(error) => {
            let record = context.app.store.fetch(collection, id).await?.ok_or(ApiError::NotFound)?;
            let is_about_fields = matches!(&error, ApiError::Draft { error, .. } if error.is_about_fields());
            if let Some(seen) = seen.filter(|_| is_about_fields) {
                seen.check(&record).map_err(StoreError::from)?;
            }
            return Err(error);
        }
    };
    context.timing.mark("draft");
    let update = Write::Update { collection: collection.position(), id, patch, seen };
    write(context, collection, request, update, token).await
}

async fn patch(
    collection: &Collection,
    id: RecordId,
    request: &mut Request,
) -> Result<(Patch, Bytes), ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let patch = Patch::parse(collection, id, &body).map_err(|error| ApiError::draft(collection, error))?;
    Ok((patch, body))
}

/// Deletes a record, as far as those that refer to it allow.
pub(super) async fn delete(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    id: RecordId,
    request: &Request,
) -> Result<Response, ApiError> {
    // A body means nothing here.
    let token = match idempotency::token(&context.caller, collection, Some(id), request, b"") {
        Ok(token) => token,
        // The record is judged before the header.
        Err(error) => {
            context.app.store.fetch(collection, id).await?.ok_or(ApiError::NotFound)?;
            return Err(error);
        }
    };
    let seen = content::if_match(request.headers());
    let delete = Write::Delete { collection: collection.position(), id, seen };
    write(context, collection, request, delete, token).await
}

/// Has the store do a write, and answers what came of it.
async fn write(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &Request,
    write: Write,
    token: Option<IdempotencyToken>,
) -> Result<Response, ApiError> {
    let author = match &context.caller {
        Caller::Known(holder) => Some(holder.clone()),
        Caller::Anonymous => None,
    };
    let origin = Origin { author, credential: context.take_credential(), request_id: request.id().into() };
    let reply = context.app.store.write(WriteRequest { write, token, origin }).await;
    context.timing.mark("store");
    context.is_replayed = reply.is_replayed;
    if matches!(reply.outcome, Err(StoreError::KeyRevoked)) {
        return Err(context.refuse_key(request));
    }
    Ok(match reply.outcome? {
        Written::Created { id, representation } => {
            let mut response = if content::wants_representation(request.headers()) {
                let mut response = response::json(StatusCode::CREATED, representation);
                response.headers_mut().insert(content::PREFERENCE_APPLIED, content::RETURN_REPRESENTATION);
                response
            } else {
                response::empty(StatusCode::CREATED)
            };
            let path = representation::path(collection, id);
            let location = HeaderValue::from_str(&(context.app.base_url(request) + &path));
            if let Ok(location) = location.or_else(|_| HeaderValue::from_str(&path)) {
                response.headers_mut().insert(header::LOCATION, location);
            }
            response
        }
        Written::Updated(record) | Written::Unchanged(record) => {
            let tag = tag(&record);
            tagged(response::json(StatusCode::OK, record), tag)
        }
        Written::Deleted => response::empty(StatusCode::OK),
        Written::NoRecord => return Err(ApiError::NotFound),
    })
}

/// The tag of a representation, as a header has it.
fn tag(record: &[u8]) -> HeaderValue {
    // Hexadecimal digits between quotes: nothing that a header could not hold.
    HeaderValue::from_bytes(&ETag::of(record).text()).unwrap_or(HeaderValue::from_static("\"\""))
}

fn tagged(mut response: Response, tag: HeaderValue) -> Response {
    response.headers_mut().insert(header::ETAG, tag);
    response
}
