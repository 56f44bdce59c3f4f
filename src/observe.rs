//! Everything the server reports: log lines and metrics are two renderings of it.
//!
//! Whoever has something to say hands an [`Event`] to the [`Observer`]; what is written, where and
//! in which form is decided here. Reporting never waits for the terminal or the disk behind
//! standard error. This room uses nothing else of the crate.

mod event;
mod line;
mod log;
mod metrics;
mod request_durations;
mod sharded;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Duration;

pub use event::{Event, Level, Outcome, RequestReport};
pub(crate) use line::is_harmful;
pub use metrics::StoreMetrics;
pub use request_durations::Route;

use line::Style;
use log::Log;
use metrics::Metrics;
use sharded::Sharded;

/// The `Content-Type` of [`Observer::metrics_text`].
pub const METRICS_CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How long a stopping process waits for a standard error that nobody reads.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Which form log lines take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text on a terminal, JSON everywhere else.
    #[default]
    Auto,
    Text,
    Json,
}

/// What is logged, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// The least important level that is written.
    pub level: Level,
    pub format: Format,
    /// Whether text may be coloured at all (`NO_COLOR` is not set); it is on terminals only.
    pub color: bool,
}

impl Default for LogSettings {
    fn default() -> Self {
        LogSettings { level: Level::Info, format: Format::Auto, color: true }
    }
}

/// Takes every report of one server; shared by all its parts.
#[derive(Debug)]
pub struct Observer {
    log: Log,
    metrics: Metrics,
}

impl Observer {
    /// An observer that writes its lines to standard error.
    ///
    /// Fails when the thread that writes them cannot be started.
    pub fn new(settings: LogSettings) -> io::Result<Self> {
        let is_terminal = io::stderr().is_terminal();
        Self::writing_to(settings, is_terminal, Box::new(io::stderr()))
    }

    /// An observer that writes its lines somewhere else.
    pub fn writing_to(
        settings: LogSettings,
        is_terminal: bool,
        output: Box<dyn Write + Send>,
    ) -> io::Result<Self> {
        let style = match settings.format {
            Format::Json => Style::Json,
            Format::Auto if !is_terminal => Style::Json,
            Format::Auto | Format::Text if is_terminal && settings.color => Style::Colored,
            Format::Auto | Format::Text => Style::Plain,
        };
        Ok(Observer { log: Log::start(settings.level, style, output)?, metrics: Metrics::new() })
    }

    /// Logs one event.
    pub fn report(&self, event: Event<'_>) {
        self.log.write(&event);
    }

    /// Counts one answered request and logs it. The report is made only where its line is written: most are not.
    pub fn report_request<'a>(
        &self,
        route: Route,
        outcome: Outcome<'a>,
        report: impl FnOnce(Outcome<'a>) -> RequestReport<'a>,
    ) {
        self.metrics.requests.observe(route, outcome.method, outcome.status, outcome.duration);
        if self.log.is_written(outcome.level()) {
            self.log.write(&Event::Request(report(outcome)));
        }
    }

    /// The handle under which requests of this path template are counted.
    ///
    /// Meant for start-up: the same template gives the same handle. Requests that nobody gave a
    /// route to are counted under [`Route::default`].
    pub fn route(&self, template: &str) -> Route {
        self.metrics.requests.route(template)
    }

    /// Counts a request as being answered until the guard is dropped.
    pub fn request_begins(&self) -> Counted<'_> {
        Counted::new(&self.metrics.requests_in_flight)
    }

    /// Counts a request as answered whose guard was kept (see [`Counted::keep`]).
    pub fn request_ends(&self) {
        drop(Counted(&self.metrics.requests_in_flight));
    }

    /// Counts an answer that was given again out of the response cache.
    pub fn cache_hit(&self) {
        self.metrics.cache_hits.own().fetch_add(1, Relaxed);
    }

    /// Says how many bytes answers take that their clients have not taken yet.
    pub fn answers_are(&self, bytes: usize) {
        self.metrics.answer_bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Says how many connections are open now.
    pub fn connections_are(&self, open: usize) {
        let open = i64::try_from(open).unwrap_or(i64::MAX);
        self.metrics.connections_open.set(open);
    }

    /// Counts a connection that was turned away.
    pub fn connection_refused(&self) {
        self.metrics.connections_refused.inc();
    }

    /// Counts an access key that was presented and is not known.
    pub fn unknown_key(&self) {
        self.metrics.unknown_keys.inc();
    }

    /// Says when the newest scheduled backup was begun, in seconds since the Unix epoch.
    pub fn newest_backup_is(&self, begun: i64) {
        self.metrics.newest_backup.set(begun);
    }

    /// Counts a scheduled backup that was not made, and logs why.
    pub fn backup_failed(&self, cause: &str) {
        self.metrics.backup_failures.inc();
        self.report(Event::BackupFailed { cause });
    }

    /// What the store counts.
    pub fn store(&self) -> &StoreMetrics {
        &self.metrics.store
    }

    /// All metrics in the OpenMetrics text format; see [`METRICS_CONTENT_TYPE`].
    pub fn metrics_text(&self) -> String {
        self.metrics.text()
    }

    /// Returns when everything reported so far is written, or standard error takes nothing.
    pub fn flush(&self) {
        self.log.flush(FLUSH_TIMEOUT);
    }

    /// Makes every panic of this process an [`Event::Panic`], instead of raw text on standard error.
    pub fn report_panics(self: &Arc<Self>) {
        let observer = Arc::clone(self);
        std::panic::set_hook(Box::new(move |panic| {
            let location = panic.location().map_or_else(|| "unknown".to_owned(), ToString::to_string);
            // A text that was put together at run time may quote a request (a slice outside a
            // string quotes the string), and so may a key or somebody's address stand in it. Only
            // a text from the source is told, unless somebody is debugging.
            let literal = panic.payload().downcast_ref::<&'static str>().copied();
            let text = match literal {
                None if observer.log.is_written(Level::Debug) => panic.payload_as_str(),
                literal => literal,
            };
            observer.report(Event::Panic {
                location: &location,
                text: text.unwrap_or("the text is shown at level debug only"),
            });
            observer.flush();
        }));
    }
}

/// One more in a number for as long as it lives. It may end on another thread: only the sum means something.
#[derive(Debug)]
pub struct Counted<'a>(&'a Sharded<AtomicI64>);

impl<'a> Counted<'a> {
    fn new(number: &'a Sharded<AtomicI64>) -> Self {
        number.own().fetch_add(1, Relaxed);
        Counted(number)
    }
}

impl Counted<'_> {
    /// Leaves it in the number: somebody else takes it out.
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.own().fetch_sub(1, Relaxed);
    }
}
