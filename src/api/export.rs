//! Exports: records of a collection as a file, which is made while it is sent.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::access::Caller;
use super::context::RequestContext;
use super::error::ApiError;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::http::{
    Content, HeaderValue, Method, Request, Response, StatusCode, StreamSender, header, response,
};
use crate::observe::{Event, Observer};
use crate::store::audit::{Actor, Exported};
use crate::store::copy::CopyError;
use crate::store::extract::{self, Beginning};
use crate::store::{Store, StoreError};
use crate::transfer::export::Export;
use crate::transfer::format::Format;

/// So many at once: each holds a connection, and keeps SQLite's log from being cut.
pub(super) const AT_ONCE: usize = 2;
/// How long the others wait, as those do who wait for another read that takes long.
const WAIT: Duration = Duration::from_secs(5);

/// Answers all records that match, of one moment.
pub(super) async fn export(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    format: Format,
    request: &Request,
) -> Result<Response, ApiError> {
    let export = Export::parse(collection, format, context.query.iter())
        .map_err(|error| ApiError::listing(collection, error))?;
    let (sender, content) = request.stream();
    let answer = of_file(&format!("{}.{}", collection.name(), format.ending()), format, content);
    if *request.method() == Method::HEAD {
        return Ok(answer);
    }
    let app = context.app;
    let permit = permit(&app.exports).await?;
    // Right before: the wait may have been long.
    context.confirm(request).await?;
    let (address, id) = (request.client().to_string(), request.id().to_owned());
    let by = match &context.caller {
        Caller::Known(holder) => Actor::key(&holder.name, address, id),
        Caller::Anonymous => Actor::anonymous(address, id),
    };
    let (begun, has_begun) = oneshot::channel();
    let task = Task {
        store: app.store.clone(),
        observer: app.observer.clone(),
        catalog: app.catalog.clone(),
        limit: app.settings.export_timeout,
        sender,
        _permit: permit,
    };
    let exported = Exported {
        collection: collection.name().to_owned(),
        format: format.name(),
        filters: export.filter_names(),
        records: 0,
        is_whole: false,
    };
    tokio::spawn(task.run(export, exported, by, begun));
    let broken = |_| StoreError::Broken("an export ended before it began".into());
    has_begun.await.map_err(broken)??;
    context.timing.mark("store");
    Ok(answer)
}

async fn permit(exports: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, StoreError> {
    match timeout(WAIT, exports.clone().acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        // It is never closed.
        Ok(Err(_)) | Err(_) => Err(StoreError::Busy),
    }
}

/// The answer that a browser saves under this name.
fn of_file(name: &str, format: Format, content: Content) -> Response {
    let mut answer = response::of_type(StatusCode::OK, format.content_type(), content);
    let disposition = format!("attachment; filename=\"{name}\"");
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    }
    answer
}

/// What goes on behind an answer that was begun.
struct Task {
    store: Store,
    observer: Arc<Observer>,
    catalog: Arc<Catalog>,
    limit: Duration,
    sender: StreamSender,
    _permit: OwnedSemaphorePermit,
}

impl Task {
    /// Sends the file. It is ended only where all of it was sent and stands in the trail: otherwise the client sees that
    /// it has a part.
    async fn run(self, export: Export, mut exported: Exported, by: Actor, begun: Beginning) {
        let Self { store, observer, catalog, limit, sender, _permit } = self;
        let (onward, mut pieces) = extract::pieces();
        let sent = &mut exported.records;
        let Some(form) = export.form(&catalog, Some(store.id())) else { return };
        let reading = extract::extract_served(&store, export.extract(&catalog), form, onward, begun);
        let to = &sender;
        let sending = async move {
            while let Some((records, piece)) = pieces.recv().await {
                if to.send(piece).await.is_err() {
                    break;
                }
                *sent += records;
            }
        };
        let outcome = timeout(limit, async { tokio::join!(reading, sending).0 }).await;
        let cause = match outcome {
            Ok(Ok(records)) => {
                exported.is_whole = records == exported.records;
                None
            }
            // The client has gone.
            Ok(Err(CopyError::Stopped)) => None,
            Ok(Err(CopyError::Failed { place, cause })) => Some(format!("{place}: {cause}")),
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(format!("it took longer than the {} seconds of export_timeout", limit.as_secs())),
        };
        let noted = store.note_export(&exported, by).await;
        match (cause, noted) {
            (None, Ok(())) if exported.is_whole => sender.finish(),
            (None, Ok(())) => {}
            (cause, noted) => {
                let cause = cause.or_else(|| noted.err().map(|error| error.to_string())).unwrap_or_default();
                let words = format!("an export of {} was not finished: {cause}", exported.collection);
                observer.report(Event::Warning(&words));
            }
        }
    }
}
