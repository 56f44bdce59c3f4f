//! How a harness ends: its counts, what it found wrong, and the exit status that says so.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use crate::options::Options;

/// What a harness saw.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What was counted, in the order in which it is told.
    pub(crate) counts: Vec<(&'static str, u64)>,
    /// Further remarks for the closing line.
    pub(crate) remarks: Vec<String>,
    /// Everything that must not be.
    pub(crate) violations: Vec<String>,
    /// Why the harness itself could not go on; what was counted before counts all the same.
    pub(crate) failure: Option<anyhow::Error>,
}

impl Outcome {
    pub(crate) fn count(&mut self, what: &'static str, number: usize) {
        match self.counts.iter_mut().find(|(known, _)| *known == what) {
            Some((_, sum)) => *sum += number as u64,
            None => self.counts.push((what, number as u64)),
        }
    }

    /// Durations in one remark: the median, the 99th of a hundred, and the longest.
    pub(crate) fn times(&mut self, what: &str, mut times: Vec<Duration>) {
        times.sort();
        let Some(longest) = times.last() else { return };
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].as_millis();
        self.remarks.push(format!(
            "{what} p50 {} ms, p99 {} ms, longest {} ms",
            at(0.5),
            at(0.99),
            longest.as_millis()
        ));
    }

    /// Prints the closing line; a control must have found something.
    pub(crate) fn close(self, options: &Options) -> ExitCode {
        let shown = if options.is_control { 2 } else { 20 };
        for violation in self.violations.iter().take(shown) {
            println!("  {}: {violation}", if options.is_control { "found" } else { "VIOLATION" });
        }
        let counts = self.counts.iter().map(|(what, number)| format!("{number} {what}"));
        let parts: Vec<String> = counts.chain(self.remarks.iter().cloned()).collect();
        let found = self.violations.len();
        let is_well = (found > 0) == options.is_control;
        let verdict = match (options.is_control, found) {
            (false, _) => format!("{found} violations"),
            (true, 0) => "CONTROL NOT FOUND: the harness is blind".into(),
            (true, _) => "the control was found, as it must be".into(),
        };
        println!("{options}: {}; {verdict}", parts.join(", "));
        if let Some(failure) = self.failure {
            println!("{options}: STOPPED EARLY, the harness itself failed: {failure:#}");
            return ExitCode::from(4);
        }
        if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Says that this machine cannot run it; the exit status is 3.
    pub(crate) fn cannot_run(options: &Options, why: &anyhow::Error) -> ExitCode {
        println!("{options}: CANNOT RUN HERE: {why:#}");
        ExitCode::from(3)
    }
}

/// Something that this machine lacks.
#[derive(Debug)]
pub(crate) struct CannotRun(pub(crate) String);

impl fmt::Display for CannotRun {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for CannotRun {}
