//! Imports: a file that is sent becomes records. The job goes on whoever waits for it; its report can be asked for.

mod job;
mod options;
mod report;

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::access::{self, Caller};
use super::context::RequestContext;
use super::error::ApiError;
use super::{App, content};
use crate::catalog::collection::Collection;
use crate::http::{HeaderValue, Request, Response, StatusCode, header, response};
use crate::store::StoreError;
use crate::store::audit::Actor;
use crate::store::imports::{Begun, NewImport};
use crate::store::write::Origin;
use crate::transfer::import::{Options, nameless_file};
use job::{Job, Start};
use report::Heading;

/// So many at once: each reads all of a collection, and may take 50 MB of memory.
const AT_ONCE: usize = 2;
/// So many files may be on their way at once, each on the disk up to `max_import`.
const UPLOADS: usize = 4;
/// How long the others wait.
const WAIT: Duration = Duration::from_secs(5);

/// The imports that this node runs.
pub(super) struct Imports {
    running: Arc<Mutex<Vec<Arc<Job>>>>,
    /// Held by whoever begins one: two into the same collection may come at the same moment.
    begins: tokio::sync::Mutex<()>,
    uploads: Arc<Semaphore>,
    at_once: Arc<Semaphore>,
}

impl Imports {
    pub(super) fn new() -> Self {
        Self {
            running: Arc::default(),
            begins: tokio::sync::Mutex::new(()),
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            at_once: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Nobody sends a file, or waits for a place, only to hear that another import is under way here. Another node is
    /// asked when this one begins.
    fn is_free(&self, collection: &str) -> Result<(), ApiError> {
        match self.find(|job| job.heading.collection == collection) {
            None => Ok(()),
            Some(job) => Err(under_way(collection, job.number)),
        }
    }

    /// The import with this number, unless it is over, or its end is being told: then the stored report is waited for,
    /// which other nodes may have told already.
    async fn running(&self, number: i64) -> Option<Arc<Job>> {
        let has_number = |job: &Job| job.number == number;
        let job = self.find(has_number)?;
        let _telling = job.telling.lock().await;
        self.find(has_number)
    }

    fn find(&self, is_wanted: impl Fn(&Job) -> bool) -> Option<Arc<Job>> {
        self.running.lock().iter().find(|job| is_wanted(job)).cloned()
    }
}

/// Takes the file, begins the import, and waits for its end as long as the client wants to.
pub(super) async fn import(
    context: &mut RequestContext<'_>,
    collection: &Collection,
    request: &mut Request,
) -> Result<Response, ApiError> {
    let app = context.app;
    let (format, charset) = options::format(request.headers())?;
    let mut said = options::said(context.query.iter())?;
    said.encoding = said.encoding.or(charset);
    let folder = app.settings.temporary_folder.clone();
    let options = Options::parse(&app.catalog, collection, format, said, folder)
        .map_err(|(name, words)| ApiError::ImportOption { name, words })?;
    app.imports.is_free(collection.name())?;
    let file = {
        let _place = permit(&app.imports.uploads).await?;
        spooled(app, &options, request).await?
    };
    let place = permit(&app.imports.at_once).await?;
    // Right before: the file may have taken long. It is looked at again with every write.
    let credential = context.credential().cloned();
    context.confirm(request).await?;
    let maker = match &context.caller {
        Caller::Known(holder) => Some(holder.id.as_bytes().to_vec()),
        Caller::Anonymous => None,
    };
    let heading = Heading { collection: collection.name().to_owned(), format, dry_run: options.dry_run };
    let job = begin(app, heading, maker).await?;
    let wait = content::wait(request.headers());
    let (address, id) = (request.client().to_string(), request.id().to_owned());
    let (by, author) = match &context.caller {
        Caller::Known(holder) => (Actor::key(&holder.name, address, id.clone()), Some(holder.clone())),
        Caller::Anonymous => (Actor::anonymous(address, id.clone()), None),
    };
    let targets = collection.fields().iter().filter_map(|field| field.reference());
    let forbidden = targets
        .map(|reference| reference.target)
        .filter(|&target| access::authorize_write(app, &context.caller, app.catalog.at(target)).is_err());
    let start = Start {
        catalog: app.catalog.clone(),
        store: app.store.clone(),
        observer: app.observer.clone(),
        position: collection.position(),
        options,
        file,
        forbidden: forbidden.collect(),
        origin: Origin { author, credential, request_id: id.into() },
        by,
        _place: place,
    };
    let ended = job.clone().start(start, app.imports.running.clone());
    match timeout(wait, ended).await {
        Ok(Ok(end)) => end.into_response(app, &context.caller, job.number),
        Ok(Err(_)) => Err(StoreError::Broken("an import ended without a word".into()).into()),
        Err(_) => Ok(accepted(app, request, &job)),
    }
}

/// The report, for its maker or an admin. Nobody else hears that there is one.
pub(super) async fn report(context: &mut RequestContext<'_>, number: i64) -> Result<Response, ApiError> {
    let app = context.app;
    let (maker, text) = match app.imports.running(number).await {
        Some(job) => (job.maker.clone(), job.report().to_string()),
        None => {
            let row = app.store.import(number).await?.ok_or(ApiError::NotFound)?;
            let text = report::stored(number, &row);
            (row.maker, text)
        }
    };
    let may_read = match (&maker, &context.caller) {
        (None, _) => true,
        (Some(maker), Caller::Known(holder)) => holder.is_admin || holder.id.as_bytes() == maker,
        (Some(_), Caller::Anonymous) => false,
    };
    if may_read { Ok(response::json(StatusCode::OK, text)) } else { Err(ApiError::NotFound) }
}

async fn begin(app: &App, heading: Heading, maker: Option<Vec<u8>>) -> Result<Arc<Job>, ApiError> {
    let collection = heading.collection.clone();
    let _turn = app.imports.begins.lock().await;
    app.imports.is_free(&collection)?;
    let report = heading.begun().to_string();
    let new = NewImport { collection: collection.clone(), maker: maker.clone(), report };
    match app.store.begin_import(new).await? {
        Begun::Begun(number) => {
            let job = Arc::new(Job::new(number, maker, heading));
            app.imports.running.lock().push(job.clone());
            Ok(job)
        }
        Begun::UnderWay(number) => Err(under_way(&collection, number)),
    }
}

fn under_way(collection: &str, number: i64) -> ApiError {
    ApiError::ImportUnderWay { collection: collection.to_owned(), number }
}

async fn permit(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, StoreError> {
    match timeout(WAIT, places.clone().acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        // It is never closed.
        Ok(Err(_)) | Err(_) => Err(StoreError::Busy),
    }
}

/// The body in a file that has no name.
async fn spooled(app: &App, options: &Options, request: &mut Request) -> Result<File, ApiError> {
    let mut file = nameless_file(&options.folder).map_err(unwritten)?;
    let poured = request.pour_body(app.settings.max_import, |piece| file.write_all(&piece)).await?;
    poured.map_err(unwritten)?;
    Ok(file)
}

fn unwritten(error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::Broken(format!("a file that is imported cannot be kept: {error}")),
    }
}

/// It goes on; where to ask for it.
fn accepted(app: &App, request: &Request, job: &Job) -> Response {
    let mut answer = response::json(StatusCode::ACCEPTED, job.report().to_string());
    let location = app.base_url(request) + &report::path(job.number);
    if let Ok(location) = HeaderValue::from_str(&location) {
        answer.headers_mut().insert(header::LOCATION, location);
    }
    answer
}
