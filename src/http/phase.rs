//! What a connection is doing and since when, so that those that do nothing can be found.
//!
//! One sweep over all connections, a few times a second, takes the place of a timer in each: the
//! HTTP library's own timer is made anew for each request and cannot tell a client that rests
//! between two requests from one that never finishes a request's head. Time is counted in sweeps;
//! noting a change costs two plain memory accesses and no look at the clock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::limits::{GOODBYE_TIME, LINGER_TIME, Settings, UNWELCOME_TIME};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// New: no request yet, perhaps a part of its head.
    Fresh,
    /// New and over the limit: told so, then closed.
    Unwelcome,
    /// A request's head has begun to arrive.
    Head,
    /// A request is being answered, which limits itself, or its answer is streamed, which may take any time.
    Answering,
    /// Between two requests.
    Idle,
    /// The client takes none of the answer's bytes.
    Stuck,
    /// Everything is sent; swallowing what still comes, so that the client can read the answer.
    Lingering,
}

const PHASES: [Phase; 7] = [
    Phase::Fresh,
    Phase::Unwelcome,
    Phase::Head,
    Phase::Answering,
    Phase::Idle,
    Phase::Stuck,
    Phase::Lingering,
];

/// The phase of one connection; written by its task, read by the sweep.
#[derive(Debug)]
pub(super) struct PhaseClock(AtomicU64);

impl PhaseClock {
    pub(super) fn new(phase: Phase, sweep: u64) -> Self {
        PhaseClock(AtomicU64::new(packed(phase, sweep)))
    }

    pub(super) fn phase(&self) -> Phase {
        self.began().0
    }

    pub(super) fn set(&self, phase: Phase, sweep: u64) {
        self.0.store(packed(phase, sweep), Relaxed);
    }

    /// The phase, and the sweep at which it began.
    fn began(&self) -> (Phase, u64) {
        let packed = self.0.load(Relaxed);
        (PHASES[(packed & 0xff) as usize % PHASES.len()], packed >> 8)
    }
}

fn packed(phase: Phase, sweep: u64) -> u64 {
    (sweep << 8) | phase as u64
}

/// How long each phase may last.
#[derive(Debug)]
pub(super) struct PhaseTimeouts {
    sweep_interval: Duration,
    header_timeout: Duration,
    idle_timeout: Duration,
    write_timeout: Duration,
}

impl PhaseTimeouts {
    pub(super) fn new(settings: &Settings) -> Self {
        let Settings { header_timeout, idle_timeout, write_timeout, .. } = *settings;
        let shortest = header_timeout.min(idle_timeout).min(write_timeout);
        PhaseTimeouts {
            sweep_interval: (shortest / 8).clamp(Duration::from_millis(1), Duration::from_millis(250)),
            header_timeout,
            idle_timeout,
            write_timeout,
        }
    }

    pub(super) fn sweep_interval(&self) -> Duration {
        self.sweep_interval
    }

    /// Whether it is; `stopping` is the sweep at which the server began to stop, from which on everybody has the time
    /// that a stop leaves them.
    pub(super) fn is_over(&self, clock: &PhaseClock, sweep: u64, stopping: Option<u64>) -> bool {
        let (phase, began) = clock.began();
        let is_stopping = stopping.is_some();
        let age = sweep.saturating_sub(began.max(stopping.unwrap_or(0)));
        let timeout = match phase {
            Phase::Answering => return false,
            // A request may be on its way, and nobody would send it again. Not for long, though.
            Phase::Fresh | Phase::Head if is_stopping => self.sweep_interval,
            Phase::Fresh | Phase::Head => self.header_timeout,
            Phase::Unwelcome => UNWELCOME_TIME,
            // It was told goodbye, and one that speaks HTTP/2 should have said so too.
            Phase::Idle if is_stopping => GOODBYE_TIME,
            Phase::Idle => self.idle_timeout,
            Phase::Stuck => self.write_timeout,
            Phase::Lingering => LINGER_TIME,
        };
        // The phase began somewhere before the sweep that followed it: hence "more than".
        age > self.sweeps(timeout)
    }

    /// For how many sweeps an answer may make no headway.
    pub(super) fn write_sweeps(&self) -> u64 {
        self.sweeps(self.write_timeout)
    }

    fn sweeps(&self, time: Duration) -> u64 {
        let sweeps = time.as_nanos().div_ceil(self.sweep_interval.as_nanos());
        u64::try_from(sweeps).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_ends_after_its_own_time() {
        let timeouts = PhaseTimeouts::new(&Settings::default());
        let sweeps_per_second = 4;
        for (phase, seconds) in [
            (Phase::Fresh, 10),
            (Phase::Unwelcome, 1),
            (Phase::Head, 10),
            (Phase::Idle, 60),
            (Phase::Stuck, 30),
            (Phase::Lingering, 2),
        ] {
            let clock = PhaseClock::new(phase, 1000);
            assert_eq!(clock.phase(), phase);
            let last = 1000 + seconds * sweeps_per_second;
            assert!(!timeouts.is_over(&clock, last, None), "{phase:?}");
            assert!(timeouts.is_over(&clock, last + 1, None), "{phase:?}");
        }
        let answering = PhaseClock::new(Phase::Answering, 0);
        assert!(!timeouts.is_over(&answering, u64::MAX >> 8, Some(1)));
        // However long it has rested before, its time begins with the stop.
        let fresh = PhaseClock::new(Phase::Fresh, 1);
        assert!(!timeouts.is_over(&fresh, 1001, Some(1000)) && timeouts.is_over(&fresh, 1002, Some(1000)));
        let idle = PhaseClock::new(Phase::Idle, 1);
        assert!(!timeouts.is_over(&idle, 1004, Some(1000)) && timeouts.is_over(&idle, 1005, Some(1000)));
    }
}
