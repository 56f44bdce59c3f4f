//! List, create, fetch, update, delete: parse, ask the store, respond.

use super::access::Query;
use super::error::ApiError;
use super::timing::Timing;
use super::{App, content, envelope};
use crate::catalog::collection::Collection;
use crate::http::{Bytes, HeaderValue, Request, Response, StatusCode, header, response};
use crate::record::draft::{Draft, Patch};
use crate::record::listing::Listing;
use crate::record::{RecordId, representation};

/// Answers a page of the records that match.
pub(super) async fn list(
    app: &App,
    collection: &Collection,
    query: &Query<'_>,
    request: &Request,
    timing: &mut Timing,
) -> Result<Response, ApiError> {
    let listing = Listing::parse(collection, query.pairs.iter())
        .map_err(|error| ApiError::Listing { collection: collection.name().to_owned(), error })?;
    timing.mark("listing");
    let page = app.store.list(collection, &listing).await?;
    timing.mark("store");
    let mut response = response::json(StatusCode::OK, envelope::write(collection, &listing, &page));
    let link = envelope::link(collection, &listing, &page, || app.base_url(request));
    if let Some(link) = link.and_then(|link| HeaderValue::from_str(&link).ok()) {
        response.headers_mut().insert(header::LINK, link);
    }
    timing.mark("envelope");
    Ok(response)
}

/// Creates a record; answers where it now lives.
pub(super) async fn create(
    app: &App,
    collection: &Collection,
    request: &mut Request,
    timing: &mut Timing,
) -> Result<Response, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let draft = Draft::parse(collection, &body).map_err(|error| ApiError::draft(collection, error))?;
    timing.mark("draft");
    let created = app.store.insert(collection, draft).await?;
    timing.mark("store");
    let location = app.base_url(request) + &representation::path(collection, created.id);
    let mut response = if content::wants_representation(request.headers()) {
        let mut response = response::json(StatusCode::CREATED, created.representation);
        response.headers_mut().insert(content::PREFERENCE_APPLIED, content::RETURN_REPRESENTATION);
        response
    } else {
        response::empty(StatusCode::CREATED)
    };
    let location = HeaderValue::from_str(&location)
        .or_else(|_| HeaderValue::from_str(&representation::path(collection, created.id)));
    if let Ok(location) = location {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Answers one record.
pub(super) async fn fetch(
    app: &App,
    collection: &Collection,
    id: RecordId,
    timing: &mut Timing,
) -> Result<Response, ApiError> {
    let record = app.store.fetch(collection, id).await?;
    timing.mark("store");
    answer(record)
}

/// Changes what the body names; answers the whole record.
pub(super) async fn update(
    app: &App,
    collection: &Collection,
    id: RecordId,
    request: &mut Request,
    timing: &mut Timing,
) -> Result<Response, ApiError> {
    let patch = match patch(collection, id, request).await {
        Ok(patch) => patch,
        // The record is judged before the body: of an unknown one nothing else is said.
        Err(error) => {
            let exists = app.store.fetch(collection, id).await?.is_some();
            return Err(if exists { error } else { ApiError::NotFound });
        }
    };
    timing.mark("draft");
    let record = app.store.update(collection, id, patch).await?;
    timing.mark("store");
    answer(record)
}

async fn patch(collection: &Collection, id: RecordId, request: &mut Request) -> Result<Patch, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    Patch::parse(collection, id, &body).map_err(|error| ApiError::draft(collection, error))
}

/// Deletes a record, as far as those that refer to it allow.
pub(super) async fn delete(
    app: &App,
    collection: &Collection,
    id: RecordId,
    timing: &mut Timing,
) -> Result<Response, ApiError> {
    let was_there = app.store.delete(collection, id).await?;
    timing.mark("store");
    if was_there { Ok(response::empty(StatusCode::OK)) } else { Err(ApiError::NotFound) }
}

fn answer(record: Option<Bytes>) -> Result<Response, ApiError> {
    record.map(|bytes| response::json(StatusCode::OK, bytes)).ok_or(ApiError::NotFound)
}
