//! Threads that start at the same moment.

use std::sync::Barrier;

/// Runs a job on so many threads that start together, and gathers what they give.
pub(crate) fn race<T: Send>(threads: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        let (start, job) = (&start, &job);
        let racers: Vec<_> = (0..threads)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    job(number)
                })
            })
            .collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).collect()
    })
}
