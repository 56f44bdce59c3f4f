//! What all connections of one server share: settings, counts, the clock of the sweeps, and whether it stops.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::capacity::Capacity;
use super::encoders::Compressors;
use super::limits::Settings;
use super::request_id::RequestIds;
use super::response_cache::ResponseCache;
use super::throttled_log::ThrottledLog;
use super::tls::Tls;
use crate::observe::{Event, Observer};

pub(super) struct Shared {
    pub(super) settings: Settings,
    /// What connections are encrypted with, if they are.
    pub(super) tls: Option<Arc<Tls>>,
    pub(super) observer: Arc<Observer>,
    pub(super) request_ids: RequestIds,
    pub(super) compressors: Compressors,
    pub(super) capacity: Capacity,
    pub(super) response_cache: ResponseCache,
    sweeps: AtomicU64,
    /// The sweep at which it began to stop.
    stopping: OnceLock<u64>,
    /// Told when it begins to stop.
    stop_begins: Notify,
    clock_complaints: Mutex<ThrottledLog>,
}

impl Shared {
    pub(super) fn new(settings: Settings, tls: Option<Arc<Tls>>, observer: Arc<Observer>) -> Self {
        Shared {
            response_cache: ResponseCache::new(settings.kept_answers),
            settings,
            tls,
            observer,
            request_ids: RequestIds::new(),
            compressors: Compressors::default(),
            capacity: Capacity::default(),
            sweeps: AtomicU64::new(0),
            stopping: OnceLock::new(),
            stop_begins: Notify::new(),
            clock_complaints: Mutex::default(),
        }
    }

    /// The number of sweeps so far: the clock that phases are measured with.
    pub(super) fn sweep(&self) -> u64 {
        self.sweeps.load(Relaxed)
    }

    /// Counts one more sweep.
    pub(super) fn next_sweep(&self) -> u64 {
        self.sweeps.fetch_add(1, Relaxed) + 1
    }

    /// Notes that the server stops.
    pub(super) fn stop(&self) {
        self.stopping.get_or_init(|| self.sweep());
        self.stop_begins.notify_waiters();
    }

    /// The sweep at which the server began to stop, if it does.
    pub(super) fn stopping(&self) -> Option<u64> {
        self.stopping.get().copied()
    }

    /// Returns when the server stops.
    pub(super) async fn until_stopping(&self) {
        let mut told = pin!(self.stop_begins.notified());
        // Before looking, so that nothing is missed in between.
        told.as_mut().enable();
        if self.stopping().is_none() {
            told.await;
        }
    }

    /// Says, now and then, why connections are closed.
    pub(super) fn complain_of_clock(&self) {
        if self.clock_complaints.lock().count().is_some() {
            let words = "the clock of this machine shows no year from 1970 to 9999; connections are closed until it does";
            self.observer.report(Event::Warning(words));
        }
    }
}
