//! Metrics: what is counted, under which name, and its OpenMetrics text.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

use prometheus_client::encoding::text;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry, Unit};

use super::request_durations::Requests;
use super::sharded::Sharded;

/// A number that goes up and down.
pub(super) type Level = Gauge;

#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    pub(super) requests: Arc<Requests>,
    pub(super) requests_in_flight: Sharded<AtomicI64>,
    pub(super) cache_hits: Sharded<AtomicU64>,
    /// Their sums, as they were when last asked for.
    active_requests: Level,
    cached_answers: Counter,
    pub(super) connections_open: Level,
    pub(super) answer_bytes: Level,
    pub(super) connections_refused: Counter,
    pub(super) unknown_keys: Counter,
    pub(super) newest_backup: Level,
    pub(super) backup_failures: Counter,
    pub(super) store: StoreMetrics,
}

/// What a store counts about itself.
#[derive(Debug)]
pub struct StoreMetrics {
    commits: Counter,
    writes_per_commit: Histogram,
    items_per_batch: Histogram,
    wal_bytes: Level,
    answer_bytes: Level,
    busy: Counter,
    taken_back: Counter,
    steps: Counter,
    blocks_read: Counter,
    scans: Counter,
    set_bytes: Level,
    order_bytes: Level,
    block_bytes: Level,
    changes: Family<Vec<(&'static str, String)>, Counter>,
}

impl StoreMetrics {
    /// A transaction was committed that held this many writes.
    pub fn committed(&self, writes: usize) {
        self.commits.inc();
        self.writes_per_commit.observe(writes as f64);
    }

    /// A batch was done that had this many items.
    pub fn did_batch(&self, items: usize) {
        self.items_per_batch.observe(items as f64);
    }

    /// So many records of this collection were created, updated or deleted.
    pub fn changed(&self, collection: &str, deed: &str, number: u64) {
        let labels = vec![("collection", collection.to_owned()), ("deed", deed.to_owned())];
        self.changes.get_or_create(&labels).inc_by(number);
    }

    /// The write-ahead log is this long now.
    pub fn wal_is(&self, bytes: u64) {
        self.wal_bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Stored answers take so many bytes of the database.
    pub fn answers_are(&self, bytes: u64) {
        self.answer_bytes.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Reading took the database so many steps: the figure that tells a look-up from a search.
    pub fn stepped(&self, steps: u64) {
        self.steps.inc_by(steps);
    }

    /// Some fields of records were read, to judge or to sort them here.
    pub fn scanned(&self) {
        self.scans.inc();
    }

    /// So many blocks of records were not at hand and had to be read.
    pub fn read_blocks(&self, blocks: usize) {
        self.blocks_read.inc_by(blocks as u64);
    }

    /// So many bytes of sets of ids, of orders, and of records, are kept in memory.
    pub fn memory_is(&self, sets: u64, orders: u64, blocks: u64) {
        self.set_bytes.set(i64::try_from(sets).unwrap_or(i64::MAX));
        self.order_bytes.set(i64::try_from(orders).unwrap_or(i64::MAX));
        self.block_bytes.set(i64::try_from(blocks).unwrap_or(i64::MAX));
    }

    /// A transaction was taken back for the sake of one of its writes; each is tried alone.
    pub fn took_back(&self) {
        self.taken_back.inc();
    }

    /// The database was locked by somebody else.
    pub fn found_busy(&self) {
        self.busy.inc();
    }
}

impl Metrics {
    /// The table of names, in the order of the text.
    pub(super) fn new() -> Self {
        let mut registry = Registry::default();
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let start_time = Gauge::<f64, AtomicU64>::default();
        start_time.set(started.as_secs_f64());
        let requests = Arc::<Requests>::default();

        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("carnet_build", "The running program", build);
        registry.register_with_unit(
            "process_start_time",
            "Start of the process, since the Unix epoch",
            Unit::Seconds,
            start_time,
        );
        registry.register_collector(Box::new(Arc::clone(&requests)));
        let named = &mut Named(&mut registry);
        let active_requests = named.any("http_server_active_requests", "Requests being answered now");
        let cached_answers =
            named.any("http_server_cached_answers", "Answers given again out of the response cache");
        let connections_open = named.any("http_server_open_connections", "Connections open now");
        let answer_bytes =
            named.bytes("http_server_answers", "Memory of answers that their clients have not taken yet");
        let connections_refused = named
            .any("http_server_refused_connections", "Connections turned away because too many were open");
        let unknown_keys =
            named.any("carnet_access_unknown_keys", "Access keys that were presented and are not known");
        let store = StoreMetrics {
            commits: named.any("carnet_store_commits", "Committed write transactions"),
            // 1, 2, 4 … 1024 writes in one commit.
            writes_per_commit: named.metric(
                "carnet_store_commit_writes",
                "Writes in one committed transaction",
                Histogram::new(exponential_buckets(1.0, 2.0, 11)),
            ),
            // 1, 2, 4 … 512 items; there are at most 1000.
            items_per_batch: named.metric(
                "carnet_batch_items",
                "Items of batches that were done",
                Histogram::new(exponential_buckets(1.0, 2.0, 10)),
            ),
            wal_bytes: named.bytes("carnet_store_wal", "Length of the write-ahead log"),
            answer_bytes: named.bytes(
                "carnet_store_answers",
                "What answers take in the database that are stored for safe retries",
            ),
            busy: named.any("carnet_store_busy", "Times the database was locked by somebody else"),
            taken_back: named.any(
                "carnet_store_commits_taken_back",
                "Transactions taken back for the sake of one of their writes, each of which is then tried alone",
            ),
            steps: named.any("carnet_store_read_steps", "Steps of the database's machine while reading"),
            blocks_read: named.any("carnet_store_blocks_read", "Blocks of records that were not in memory"),
            scans: named.any("carnet_store_scans", "Reads of some fields of records, to judge or to sort them"),
            set_bytes: named.bytes("carnet_store_sets", "Memory that sets of ids take"),
            order_bytes: named.bytes("carnet_store_orders", "Memory that sorted lists of ids take"),
            block_bytes: named.bytes("carnet_store_blocks", "Memory that blocks of records take"),
            changes: named.any("carnet_record_changes", "Records created, updated and deleted"),
        };
        let newest_backup = named.seconds(
            "carnet_backup_timestamp",
            "When the newest scheduled backup was begun, since the Unix epoch; 0 without one",
        );
        let backup_failures = named.any("carnet_backup_failures", "Scheduled backups that were not made");
        Metrics {
            registry,
            requests,
            requests_in_flight: Sharded::default(),
            cache_hits: Sharded::default(),
            active_requests,
            cached_answers,
            connections_open,
            answer_bytes,
            connections_refused,
            unknown_keys,
            newest_backup,
            backup_failures,
            store,
        }
    }

    pub(super) fn text(&self) -> String {
        let in_flight = self.requests_in_flight.all().map(|part| part.load(Relaxed)).sum();
        self.active_requests.set(in_flight);
        let hits = self.cache_hits.all().map(|part| part.swap(0, Relaxed)).sum();
        self.cached_answers.inc_by(hits);
        let mut text = String::with_capacity(4096);
        // Writing into a string does not fail.
        let _ = text::encode(&mut text, &self.registry);
        text
    }
}

/// Gives metrics their names.
struct Named<'a>(&'a mut Registry);

impl Named<'_> {
    fn any<M: Metric + Clone + Default>(&mut self, name: &str, help: &str) -> M {
        self.metric(name, help, M::default())
    }

    fn metric<M: Metric + Clone>(&mut self, name: &str, help: &str, metric: M) -> M {
        self.0.register(name, help, metric.clone());
        metric
    }

    fn bytes(&mut self, name: &str, help: &str) -> Level {
        self.with_unit(name, help, Unit::Bytes)
    }

    fn seconds(&mut self, name: &str, help: &str) -> Level {
        self.with_unit(name, help, Unit::Seconds)
    }

    fn with_unit(&mut self, name: &str, help: &str, unit: Unit) -> Level {
        let metric = Level::default();
        self.0.register_with_unit(name, help, unit, metric.clone());
        metric
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_text_names_what_was_counted() {
        let metrics = Metrics::new();
        let route = metrics.requests.route("/users/<id>/");
        metrics.requests.observe(route, "GET", 200, Duration::from_micros(300));
        metrics.requests.observe(route, "GET", 200, Duration::from_secs(100));
        metrics.requests.observe(Default::default(), "BREW", 418, Duration::ZERO);
        metrics.store.committed(3);
        metrics.store.wal_is(4096);
        metrics.store.found_busy();
        let text = metrics.text();
        for line in [
            "carnet_build_info{version=\"0.1.0\"} 1",
            "# TYPE http_server_request_duration_seconds histogram",
            "# UNIT http_server_request_duration_seconds seconds",
            "http_server_request_duration_seconds_sum{method=\"GET\",route=\"/users/<id>/\",status=\"200\"} 100.0003",
            "http_server_request_duration_seconds_bucket{le=\"0.00025\",method=\"GET\",route=\"/users/<id>/\",status=\"200\"} 0",
            "http_server_request_duration_seconds_bucket{le=\"0.0005\",method=\"GET\",route=\"/users/<id>/\",status=\"200\"} 1",
            "http_server_request_duration_seconds_bucket{le=\"+Inf\",method=\"GET\",route=\"/users/<id>/\",status=\"200\"} 2",
            "http_server_request_duration_seconds_count{method=\"other\",route=\"other\",status=\"4xx\"} 1",
            "http_server_active_requests 0",
            "carnet_store_commits_total 1",
            "carnet_store_commit_writes_bucket{le=\"4.0\"} 1",
            "carnet_store_wal_bytes 4096",
            "carnet_store_busy_total 1",
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line} is not in\n{text}");
        }
        assert!(text.contains("\nprocess_start_time_seconds "));
        assert!(text.ends_with("# EOF\n"));
    }
}
