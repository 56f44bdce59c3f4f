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
use prometheus_client::registry::{Registry, Unit};

use super::requests::Requests;
use super::sharded::Sharded;

/// A number that goes up and down.
pub(super) type Level = Gauge;

#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    pub(super) requests: Arc<Requests>,
    pub(super) requests_in_flight: Sharded<AtomicI64>,
    /// Their sum, as it was when last asked for.
    active_requests: Level,
    pub(super) connections_open: Level,
    pub(super) answer_bytes: Level,
    pub(super) connections_refused: Counter,
    pub(super) unknown_keys: Counter,
    pub(super) store: StoreMetrics,
}

/// What a store counts about itself.
#[derive(Debug)]
pub struct StoreMetrics {
    commits: Counter,
    writes_per_commit: Histogram,
    wal_bytes: Level,
    answer_bytes: Level,
    busy: Counter,
    steps: Counter,
    blocks_read: Counter,
    set_bytes: Level,
    block_bytes: Level,
    changes: Family<Vec<(&'static str, String)>, Counter>,
}

impl StoreMetrics {
    /// A transaction was committed that held this many writes.
    pub fn committed(&self, writes: usize) {
        self.commits.inc();
        self.writes_per_commit.observe(writes as f64);
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

    /// So many blocks of records were not at hand and had to be read.
    pub fn read_blocks(&self, blocks: usize) {
        self.blocks_read.inc_by(blocks as u64);
    }

    /// So many bytes of sets of ids, and of records, are kept in memory.
    pub fn memory_is(&self, sets: u64, blocks: u64) {
        self.set_bytes.set(i64::try_from(sets).unwrap_or(i64::MAX));
        self.block_bytes.set(i64::try_from(blocks).unwrap_or(i64::MAX));
    }

    /// The database was locked by somebody else.
    pub fn found_busy(&self) {
        self.busy.inc();
    }
}

impl Metrics {
    pub(super) fn new() -> Self {
        let metrics = Metrics {
            registry: Registry::default(),
            requests: Arc::default(),
            requests_in_flight: Sharded::default(),
            active_requests: Level::default(),
            connections_open: Level::default(),
            answer_bytes: Level::default(),
            connections_refused: Counter::default(),
            unknown_keys: Counter::default(),
            store: StoreMetrics {
                commits: Counter::default(),
                // 1, 2, 4 … 1024 writes in one commit.
                writes_per_commit: Histogram::new(exponential_buckets(1.0, 2.0, 11)),
                wal_bytes: Level::default(),
                answer_bytes: Level::default(),
                busy: Counter::default(),
                steps: Counter::default(),
                blocks_read: Counter::default(),
                set_bytes: Level::default(),
                block_bytes: Level::default(),
                changes: Family::default(),
            },
        };
        metrics.registered()
    }

    /// The table of names.
    fn registered(mut self) -> Self {
        let registry = &mut self.registry;
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let start_time = Gauge::<f64, AtomicU64>::default();
        start_time.set(started.as_secs_f64());

        registry.register(
            "carnet_build",
            "The running program",
            Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]),
        );
        registry.register_with_unit(
            "process_start_time",
            "Start of the process, since the Unix epoch",
            Unit::Seconds,
            start_time,
        );
        registry.register_collector(Box::new(Arc::clone(&self.requests)));
        registry.register(
            "http_server_active_requests",
            "Requests being answered now",
            self.active_requests.clone(),
        );
        registry.register(
            "http_server_open_connections",
            "Connections open now",
            self.connections_open.clone(),
        );
        registry.register_with_unit(
            "http_server_answers",
            "Memory of answers that their clients have not taken yet",
            Unit::Bytes,
            self.answer_bytes.clone(),
        );
        registry.register(
            "http_server_refused_connections",
            "Connections turned away because too many were open",
            self.connections_refused.clone(),
        );
        registry.register(
            "carnet_access_unknown_keys",
            "Access keys that were presented and are not known",
            self.unknown_keys.clone(),
        );
        registry.register("carnet_store_commits", "Committed write transactions", self.store.commits.clone());
        registry.register(
            "carnet_store_commit_writes",
            "Writes in one committed transaction",
            self.store.writes_per_commit.clone(),
        );
        registry.register_with_unit(
            "carnet_store_wal",
            "Length of the write-ahead log",
            Unit::Bytes,
            self.store.wal_bytes.clone(),
        );
        registry.register_with_unit(
            "carnet_store_answers",
            "What answers take in the database that are stored for safe retries",
            Unit::Bytes,
            self.store.answer_bytes.clone(),
        );
        registry.register(
            "carnet_store_busy",
            "Times the database was locked by somebody else",
            self.store.busy.clone(),
        );
        registry.register(
            "carnet_store_read_steps",
            "Steps of the database's machine while reading",
            self.store.steps.clone(),
        );
        registry.register(
            "carnet_store_blocks_read",
            "Blocks of records that were not in memory",
            self.store.blocks_read.clone(),
        );
        registry.register_with_unit(
            "carnet_store_sets",
            "Memory that sets of ids take",
            Unit::Bytes,
            self.store.set_bytes.clone(),
        );
        registry.register_with_unit(
            "carnet_store_blocks",
            "Memory that blocks of records take",
            Unit::Bytes,
            self.store.block_bytes.clone(),
        );
        registry.register(
            "carnet_record_changes",
            "Records created, updated and deleted",
            self.store.changes.clone(),
        );
        self
    }

    pub(super) fn text(&self) -> String {
        let in_flight = self.requests_in_flight.all().map(|part| part.load(Relaxed)).sum();
        self.active_requests.set(in_flight);
        let mut text = String::with_capacity(4096);
        // Writing into a string does not fail.
        let _ = text::encode(&mut text, &self.registry);
        text
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
