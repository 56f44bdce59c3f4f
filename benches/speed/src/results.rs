//! What was measured: samples by line, size and server, one for each round, and the ratios between them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::load::Outcome;
use crate::process::Who;

/// One server driven for one slice of a round.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) load: Outcome,
    pub(crate) clients: usize,
    /// Processor time of the server.
    pub(crate) cpu_seconds: f64,
    /// Processor time of the PostgreSQL server behind it, where there is one.
    pub(crate) database_seconds: f64,
    /// Resident memory of the server afterwards, in MiB.
    pub(crate) resident: f64,
}

/// What two samples are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Microseconds of the server's processor time for one request.
    Cpu,
    /// The same of the PostgreSQL server behind it.
    DatabaseCpu,
    /// Of both.
    BothCpu,
    /// Requests answered in a second.
    Rate,
    /// Milliseconds.
    P50,
    P99,
}

/// The line of the report, the number of users, the server.
pub(crate) type Key = (&'static str, u64, Who);

#[derive(Debug, Default)]
pub(crate) struct Results {
    samples: BTreeMap<Key, Vec<Sample>>,
    /// Figures that are no load: seconds of a start, mebibytes, syncs a second. One for each round.
    figures: BTreeMap<Key, Vec<f64>>,
    /// Why a server's answers cannot be compared with carnet's.
    refused: BTreeMap<Key, String>,
}

/// Median, least and greatest over the rounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

impl Spread {
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (least, greatest) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = if values.len() % 2 == 1 {
            values[middle]
        } else {
            f64::midpoint(values[middle - 1], values[middle])
        };
        Some(Spread { median, least, greatest })
    }
}

impl Sample {
    pub(crate) fn measure(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Cpu => self.cpu_seconds * 1e6 / self.load.requests as f64,
            Measure::DatabaseCpu => self.database_seconds * 1e6 / self.load.requests as f64,
            Measure::BothCpu => self.measure(Measure::Cpu) + self.measure(Measure::DatabaseCpu),
            Measure::Rate => self.load.requests as f64 / self.load.seconds,
            Measure::P50 => self.load.permille(500),
            Measure::P99 => self.load.permille(990),
        }
    }
}

impl Results {
    pub(crate) fn add(&mut self, key: Key, sample: Sample) {
        if let Some(failure) = &sample.load.failure {
            self.refuse(
                key,
                format!("{} of {} failed: {failure}", sample.load.failures, sample.load.requests),
            );
        }
        self.samples.entry(key).or_default().push(sample);
    }

    pub(crate) fn add_figure(&mut self, key: Key, value: f64) {
        self.figures.entry(key).or_default().push(value);
    }

    /// No ratio with this server on this line will be printed.
    pub(crate) fn refuse(&mut self, key: Key, reason: String) {
        eprintln!("  {} at {}, {}: no ratio: {reason}", key.0, key.1, key.2.name());
        self.refused.entry(key).or_insert(reason);
    }

    pub(crate) fn refusals(&self) -> impl Iterator<Item = (&Key, &String)> {
        self.refused.iter()
    }

    pub(crate) fn samples(&self, key: Key) -> &[Sample] {
        self.samples.get(&key).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn sizes(&self, line: &str) -> Vec<u64> {
        let keys = self.samples.keys().chain(self.figures.keys());
        let mut sizes: Vec<u64> = keys.filter(|key| key.0 == line).map(|key| key.1).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    pub(crate) fn spread(&self, key: Key, measure: Measure) -> Option<Spread> {
        Spread::of(self.samples(key).iter().map(|sample| sample.measure(measure)))
    }

    pub(crate) fn figure(&self, key: Key) -> Option<Spread> {
        Spread::of(self.figures.get(&key)?.iter().copied())
    }

    /// The ratio of two servers, or of a server with itself at another size, round by round.
    pub(crate) fn ratio(&self, above: Key, below: Key, measure: Measure) -> Option<Spread> {
        if self.is_refused(above, below) {
            return None;
        }
        let pairs = self.samples(above).iter().zip(self.samples(below));
        Spread::of(pairs.map(|(above, below)| above.measure(measure) / below.measure(measure)))
    }

    pub(crate) fn figure_ratio(&self, above: Key, below: Key) -> Option<Spread> {
        if self.is_refused(above, below) {
            return None;
        }
        let pairs = self.figures.get(&above)?.iter().zip(self.figures.get(&below)?);
        Spread::of(pairs.map(|(above, below)| above / below))
    }

    pub(crate) fn is_refused(&self, above: Key, below: Key) -> bool {
        self.refused.contains_key(&above) || self.refused.contains_key(&below)
    }

    /// Everything, for other programs.
    pub(crate) fn to_json(&self) -> Value {
        let named = |key: &Key| json!({ "line": key.0, "users": key.1, "server": key.2.name() });
        let samples = self.samples.iter().map(|(key, samples)| {
            let rounds: Vec<Value> = samples
                .iter()
                .map(|sample| {
                    json!({
                        "clients": sample.clients,
                        "requests": sample.load.requests,
                        "failures": sample.load.failures,
                        "seconds": sample.load.seconds,
                        "cpu_seconds": sample.cpu_seconds,
                        "cpu_us_per_request": sample.measure(Measure::Cpu),
                        "database_cpu_us_per_request": sample.measure(Measure::DatabaseCpu),
                        "p50_ms": sample.measure(Measure::P50),
                        "p99_ms": sample.measure(Measure::P99),
                        "body_bytes": sample.load.body_bytes,
                        "resident_mib": sample.resident,
                    })
                })
                .collect();
            let mut named = named(key);
            named["rounds"] = Value::Array(rounds);
            named
        });
        let figures = self.figures.iter().map(|(key, values)| {
            let mut named = named(key);
            named["values"] = json!(values);
            named
        });
        let refused = self.refused.iter().map(|(key, reason)| {
            let mut named = named(key);
            named["reason"] = json!(reason);
            named
        });
        json!({
            "samples": samples.collect::<Vec<_>>(),
            "figures": figures.collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_its_median_between_its_ends() {
        let spread = Spread::of([3.0, f64::NAN, 1.0, 10.0, 2.0]).expect("there are values");
        assert_eq!((spread.least, spread.median, spread.greatest), (1.0, 2.5, 10.0));
        assert!(Spread::of([]).is_none());
    }

    #[test]
    fn a_refused_pair_has_no_ratio() {
        let (own, other) = (("line", 1, Who::Carnet), ("line", 1, Who::PocketBase));
        let mut results = Results::default();
        results.add_figure(own, 1.0);
        results.add_figure(other, 4.0);
        assert!(results.figure_ratio(other, own).is_some_and(|ratio| ratio.median == 4.0));
        results.refuse(other, "another total".into());
        assert!(results.figure_ratio(other, own).is_none());
    }
}
