//! An import that is under way: on a thread of its own, told of while it runs, and at its end.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::report::{Extent, Heading};
use crate::api::App;
use crate::api::access::{self, Caller};
use crate::api::error::ApiError;
use crate::catalog::Catalog;
use crate::http::{Response, StatusCode, response};
use crate::observe::{Event, Observer};
use crate::store::audit::{Actor, Imported};
use crate::store::copy::Progress;
use crate::store::snapshot::Of;
use crate::store::write::Origin;
use crate::store::{Store, StoreError};
use crate::transfer::import::{Fault, Import, ImportError, Options, Pace, Report, State, stamp};

/// How often the other nodes are told how it goes: several times before they take the node for gone.
const TOLD_EVERY: Duration = Duration::from_secs(3);

/// An import that is under way.
pub(super) struct Job {
    pub(super) number: i64,
    /// What identifies the key of whoever makes it.
    pub(super) maker: Option<Vec<u8>>,
    pub(super) heading: Heading,
    so_far: Mutex<(State, Extent)>,
    /// Held while its end is told: other nodes know of it before this one has forgotten how far it was.
    pub(super) telling: tokio::sync::Mutex<()>,
}

/// What an import needs.
pub(super) struct Start {
    pub(super) catalog: Arc<Catalog>,
    pub(super) store: Store,
    pub(super) observer: Arc<Observer>,
    /// Of the collection.
    pub(super) position: usize,
    pub(super) options: Options,
    pub(super) file: File,
    pub(super) forbidden: Vec<usize>,
    pub(super) origin: Origin,
    pub(super) by: Actor,
    pub(super) _place: OwnedSemaphorePermit,
}

/// How an import ended.
pub(super) enum End {
    /// With this report.
    Done(String),
    /// For the first of so many faults.
    Refused {
        first: String,
        count: u64,
    },
    Failed(ImportError),
}

impl End {
    /// What the client is answered that waits for it.
    pub(super) fn into_response(self, app: &App, caller: &Caller, number: i64) -> Result<Response, ApiError> {
        match self {
            Self::Done(report) => Ok(response::json(StatusCode::OK, report)),
            Self::Refused { first, count } => Err(ApiError::ImportFaults { first, count, number }),
            Self::Failed(ImportError::Forbidden(target)) => {
                access::authorize_write(app, caller, app.catalog.at(target))?;
                Err(ApiError::Forbidden)
            }
            Self::Failed(ImportError::Store(error)) => Err(error.into()),
            Self::Failed(error) => Err(StoreError::Broken(error.to_string()).into()),
        }
    }
}

impl Job {
    pub(super) fn new(number: i64, maker: Option<Vec<u8>>, heading: Heading) -> Self {
        let so_far = Mutex::new((State::Judging, Extent::default()));
        Self { number, maker, heading, so_far, telling: tokio::sync::Mutex::default() }
    }

    /// How far it is.
    pub(super) fn report(&self) -> Value {
        let (state, extent) = *self.so_far.lock();
        self.heading.told(self.number, state, extent, &Report::default(), None)
    }

    /// Begins; whoever waits is told the end.
    pub(super) fn start(
        self: Arc<Self>,
        start: Start,
        running: Arc<Mutex<Vec<Arc<Job>>>>,
    ) -> oneshot::Receiver<End> {
        let (told, end) = oneshot::channel();
        tokio::spawn(async move {
            let ended = self.run(start, &running).await;
            // Nobody need be waiting.
            let _ = told.send(ended);
        });
        end
    }

    async fn run(&self, start: Start, running: &Mutex<Vec<Arc<Job>>>) -> End {
        let (store, observer) = (start.store.clone(), start.observer.clone());
        let (by, origin) = (start.by.clone(), start.origin.request_id.clone());
        let matching = start.options.matching.clone();
        let (watch, mut events) = mpsc::unbounded_channel();
        let (done, mut outcome) = oneshot::channel();
        let runtime = Handle::current();
        // Files are read and entries judged there, which would hold up whoever is answered by the same thread.
        let thread = std::thread::Builder::new().name("import".into()).spawn(move || {
            let _ = done.send(runtime.block_on(imported(&start, &watch)));
        });
        let mut outcome = match thread {
            Err(error) => Err(ImportError::File(error)),
            Ok(_) => {
                let mut rest = tokio::time::interval(TOLD_EVERY);
                rest.tick().await;
                loop {
                    tokio::select! {
                        ended = &mut outcome => break ended.unwrap_or(Err(ImportError::Stopped)),
                        Some(event) = events.recv() => self.follow(&event),
                        _ = rest.tick() => {
                            // Who cannot be told now is told in a moment.
                            let _ = store.tell_import(self.number, false, self.report().to_string()).await;
                        }
                    }
                }
            }
        };
        let (state, error) = match &outcome {
            Ok(report) if report.faults.count > 0 && !report.was_stored => (State::Refused, None),
            Ok(_) => (State::Done, None),
            Err(error @ ImportError::Forbidden(_)) => (State::Refused, Some(error.to_string())),
            Err(error) => (State::Stopped, Some(error.told(matching.as_ref()))),
        };
        let none = Report::default();
        let report = outcome.as_mut().map_or(&none, |report| &*report);
        let extent = match state {
            State::Done | State::Refused => Extent { read: report.read, entries: Some(report.read) },
            _ => self.so_far.lock().1,
        };
        let text = self.heading.told(self.number, state, extent, report, error.as_deref()).to_string();
        let imported = Imported {
            collection: self.heading.collection.clone(),
            format: self.heading.format.name(),
            number: self.number,
            state: state.name(),
            created: if report.was_stored { report.created } else { 0 },
            updated: if report.was_stored { report.updated } else { 0 },
            related: report.related.clone(),
        };
        let telling = self.telling.lock().await;
        let noted = store.note_import(&imported, by).await;
        let told = store.tell_import(self.number, true, text.clone()).await;
        running.lock().retain(|job| job.number != self.number);
        drop(telling);
        if let Err(error) = noted.and(told) {
            let words =
                format!("import {} ({origin}) is over, and its report is not stored: {error}", self.number);
            observer.report(Event::Warning(&words));
        }
        match outcome {
            Err(error) => End::Failed(error),
            Ok(report) if state == State::Refused => {
                let first = report.faults.kept.first().map(Fault::told).unwrap_or_default();
                End::Refused { first, count: report.faults.count }
            }
            Ok(_) => End::Done(text),
        }
    }

    fn follow(&self, event: &Progress) {
        let mut so_far = self.so_far.lock();
        let (state, extent) = &mut *so_far;
        match event {
            Progress::Importing { entries, .. } => {
                (*state, *extent) = (State::Storing, Extent { read: 0, entries: Some(*entries) });
            }
            Progress::Moved(number) => extent.read += number,
            _ => {}
        }
    }
}

async fn imported(start: &Start, watch: &mpsc::UnboundedSender<Progress>) -> Result<Report, ImportError> {
    let Start { catalog, store, options, file, forbidden, origin, .. } = start;
    let import = Import {
        of: Of::Served(store),
        catalog,
        collection: catalog.at(start.position),
        options,
        file,
        store_id: store.id(),
        stamp: stamp(file)?,
        origin: origin.clone(),
        forbidden: forbidden.clone(),
        pace: Pace::AMONG_OTHERS,
    };
    import.run((!options.dry_run).then_some(store), watch).await
}
