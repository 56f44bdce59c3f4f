//! Create, update, upsert, delete: parse, hand in, respond.

use super::access::Caller;
use super::context::RequestContext;
use super::error::ApiError;
use super::idempotency::Target;
use super::records::{tag, tagged};
use super::{content, idempotency};
use crate::catalog::collection::Collection;
use crate::http::{Bytes, HeaderValue, Request, Response, StatusCode, header, response};
use crate::record::draft::earlier::Earlier;
use crate::record::draft::{Draft, Patch};
use crate::record::{RecordId, representation, upsert};
use crate::store::StoreError;
use crate::store::write::{IdempotencyToken, Origin, Work, Write, WriteRequest, Written};

/// Creates a record; answers where it now lives.
pub(super) async fn create(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &mut Request,
) -> Result<Response, ApiError> {
    content::check(request.headers())?;
    let body = request.body().await?;
    let draft = Draft::parse(collection, &body).map_err(|error| ApiError::draft(collection, error))?;
    let token = idempotency::token(&context.caller, Target::list(collection), request, &body)?;
    context.timing.mark("draft");
    let create = Write::Insert { collection: collection.position(), draft, id: None };
    write(context, collection, request, create, token).await
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
        Ok((patch, body)) => {
            idempotency::token(&context.caller, Target::record(collection, id), request, &body)
                .map(|token| (patch, token))
        }
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

/// Changes the record that has the values of a unique rule, or creates it.
pub(super) async fn upsert(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let rule = upsert::parse(collection, context.query.iter())?;
    content::check(request.headers())?;
    let body = request.body().await?;
    let patch = Patch::parse_upsert(collection, rule, &body, &mut Earlier::default())
        .map_err(|error| ApiError::draft(collection, error))?;
    let target = Target { by: Some(rule), ..Target::list(collection) };
    let token = idempotency::token(&context.caller, target, request, &body)?;
    context.timing.mark("draft");
    let seen = content::if_match(request.headers());
    let upsert = Write::Upsert { collection: collection.position(), patch, rule, seen };
    write(context, collection, request, upsert, token).await
}

/// Deletes a record, as far as those that refer to it allow.
pub(super) async fn delete(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    id: RecordId,
    request: &Request,
) -> Result<Response, ApiError> {
    // A body means nothing here.
    let token = match idempotency::token(&context.caller, Target::record(collection, id), request, b"") {
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

/// Has the store do something, and says what came of it.
pub(super) async fn submit(
    context: &mut RequestContext<'_>,
    request: &Request,
    work: Work,
    token: Option<IdempotencyToken>,
) -> Result<Written, ApiError> {
    let author = match &context.caller {
        Caller::Known(holder) => Some(holder.clone()),
        Caller::Anonymous => None,
    };
    let origin = Origin { author, credential: context.take_credential(), request_id: request.id().into() };
    let reply = context.app.store.write(WriteRequest { work, token, origin }).await;
    context.timing.mark("store");
    context.is_replayed = reply.is_replayed;
    if matches!(reply.outcome, Err(StoreError::KeyRevoked)) {
        return Err(context.refuse_key(request));
    }
    Ok(reply.outcome?)
}

/// Has the store do a write, and answers what came of it.
async fn write(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &Request,
    write: Write,
    token: Option<IdempotencyToken>,
) -> Result<Response, ApiError> {
    Ok(match submit(context, request, Work::One(write), token).await? {
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
        Written::Updated { representation, .. } | Written::Unchanged { representation, .. } => {
            let tag = tag(&representation);
            tagged(response::json(StatusCode::OK, representation), tag)
        }
        Written::Deleted | Written::Batch(_) => response::empty(StatusCode::OK),
    })
}
