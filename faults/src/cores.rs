//! Cores of their own for clients and server: where both fight for the same ones, a server that refuses quickly only
//! gives its clients the time to ask more.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Starts a server on all cores but one and keeps that one for this thread. Where there is only one they share it.
pub(crate) fn apart<T>(start: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let mut theirs = sched_getaffinity(None)?;
    let Some(first) = (0..CpuSet::MAX_CPU).find(|core| theirs.is_set(*core)) else { return start() };
    if theirs.count() < 2 {
        return start();
    }
    theirs.unset(first);
    let mut ours = CpuSet::new();
    ours.set(first);
    // Whoever is started inherits this.
    sched_setaffinity(None, &theirs)?;
    let started = start();
    sched_setaffinity(None, &ours)?;
    started
}
