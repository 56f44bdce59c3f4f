//! How long requests took, by method, route and status, for the metrics. Their log line is one of `event.rs`.
//!
//! A table of counters found by index and added to without a lock: hashing three labels and
//! locking a histogram for each request would cost more than the rest of reporting together.
//! Unknown methods, statuses and routes share one label each, so the table cannot grow with traffic.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

use super::sharded::Sharded;

/// The path template a request is counted under, such as `/users/<id>/`.
///
/// Made by `Observer::route` once, when routes are known; the default is for everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route(usize);

const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];

/// The statuses with a label of their own, the most frequent first: they are looked for in this order.
const STATUSES: [u16; 27] = [
    200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 411, 412, 413, 414, 415, 422, 428, 429, 431,
    500, 501, 502, 503, 504, 507,
];

/// Those, and the five classes of all others.
const LABELS: usize = STATUSES.len() + 5;

/// Upper bounds in microseconds: from a cached record to a client's patience.
const BOUNDS: [u64; 17] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000,
];

/// All request durations of one server.
#[derive(Debug)]
pub(super) struct Requests {
    /// Replaced when a route is added, which is at start; the first is for unknown routes.
    rows: ArcSwap<Vec<Arc<Row>>>,
}

/// The durations of one route, by method and status.
struct Row {
    route: String,
    cells: [[OnceLock<Box<Sharded<Durations>>>; LABELS]; METHODS.len()],
}

#[derive(Default)]
struct Durations {
    /// How many fell under each bound and not under the one before; the last is for the rest.
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum_nanos: AtomicU64,
}

impl Default for Requests {
    fn default() -> Self {
        let unknown = Arc::new(Row::new("other"));
        Requests { rows: ArcSwap::from_pointee(vec![unknown]) }
    }
}

impl Requests {
    pub(super) fn route(&self, template: &str) -> Route {
        let mut found = 0;
        self.rows.rcu(|rows| {
            let mut rows = Vec::clone(rows);
            found = rows.iter().position(|row| row.route == template).unwrap_or_else(|| {
                rows.push(Arc::new(Row::new(template)));
                rows.len() - 1
            });
            rows
        });
        Route(found)
    }

    pub(super) fn observe(&self, route: Route, method: &str, status: u16, duration: Duration) {
        let rows = self.rows.load();
        // A route of another observer is out of place, not a reason to panic.
        let Some(row) = rows.get(route.0).or_else(|| rows.first()) else {
            return;
        };
        row.cells[method_index(method)][status_index(status)].get_or_init(Box::default).own().add(duration);
    }
}

impl Row {
    fn new(route: &str) -> Self {
        Row { route: route.to_owned(), cells: Default::default() }
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Row").field(&self.route).finish()
    }
}

impl Durations {
    /// The counts and the sum of all threads.
    fn total(parts: &Sharded<Self>) -> ([u64; BOUNDS.len() + 1], u64) {
        let mut counts = [0; BOUNDS.len() + 1];
        let mut sum_nanos = 0;
        for part in parts.all() {
            counts.iter_mut().zip(&part.counts).for_each(|(sum, count)| *sum += count.load(Relaxed));
            sum_nanos += part.sum_nanos.load(Relaxed);
        }
        (counts, sum_nanos)
    }

    fn add(&self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let slot = BOUNDS.partition_point(|bound| *bound * 1_000 < nanos);
        self.counts[slot].fetch_add(1, Relaxed);
        self.sum_nanos.fetch_add(nanos, Relaxed);
    }
}

fn method_index(method: &str) -> usize {
    let known = METHODS.iter().position(|known| *known == method);
    known.unwrap_or(METHODS.len() - 1)
}

/// The place of a status among the labels; those without a place of their own share their class's.
fn status_index(status: u16) -> usize {
    let known = STATUSES.iter().position(|known| *known == status);
    known.unwrap_or_else(|| STATUSES.len() + usize::from(status / 100).clamp(1, 5) - 1)
}

/// The label at a place.
fn status_label(index: usize) -> String {
    match STATUSES.get(index) {
        Some(status) => status.to_string(),
        None => format!("{}xx", index - STATUSES.len() + 1),
    }
}

impl Collector for Requests {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut family = encoder.encode_descriptor(
            "http_server_request_duration",
            "Time from a request's head to its answer",
            Some(&Unit::Seconds),
            MetricType::Histogram,
        )?;
        for row in self.rows.load().iter() {
            for (method, cells) in METHODS.iter().zip(&row.cells) {
                for (index, cell) in cells.iter().enumerate() {
                    let Some(durations) = cell.get() else {
                        continue;
                    };
                    let status = status_label(index);
                    let labels =
                        [("method", *method), ("route", row.route.as_str()), ("status", status.as_str())];
                    let (counts, sum_nanos) = Durations::total(durations);
                    let bounds = BOUNDS.iter().map(|micros| *micros as f64 / 1e6);
                    let buckets: Vec<(f64, u64)> = bounds.chain([f64::INFINITY]).zip(counts).collect();
                    family.encode_family(&labels)?.encode_histogram::<NoLabelSet>(
                        sum_nanos as f64 / 1e9,
                        counts.iter().sum(),
                        &buckets,
                        None,
                    )?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_of_the_table_is_found_at_its_place() {
        for index in 0..LABELS {
            let label = status_label(index);
            let number = label.replace('x', "9").parse().unwrap();
            assert_eq!(status_index(number), index, "{label}");
        }
        assert_eq!(status_label(status_index(0)), "1xx");
        assert_eq!(status_label(status_index(u16::MAX)), "5xx");
    }

    #[test]
    fn a_template_has_one_route() {
        let requests = Requests::default();
        let users = requests.route("/users/");
        let address = requests.route("/address/");
        assert_ne!(users, address);
        assert_ne!(users, Route::default());
        assert_eq!(requests.route("/users/"), users);
        assert_eq!(requests.route("other"), Route::default());
    }
}
