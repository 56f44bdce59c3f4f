//! Limits reads that take long: so many at once, so many who wait, and nobody for long.
//!
//! Lists that memory cannot answer are counted by the database. Let in without a bound they would take every
//! connection, and those who ask for what is quick would wait behind them. An answer that comes too late serves nobody,
//! so who would wait too long is told so at once: refusing costs about as much as a quick list, and whoever is refused
//! after having waited has cost both.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::StoreError;

/// How many may be inside or wait.
const PLACES: usize = 4_096;
/// So many are let wait whatever the pace: a few dozen who come at once are all served, on a slow machine too.
const ALWAYS: usize = 64;
/// How long somebody may have to wait, as far as can be foreseen.
const WAIT: Duration = Duration::from_secs(1);
/// How long somebody waits where it was foreseen wrongly.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct ReadLimiter {
    places: Semaphore,
    inside: Semaphore,
    at_once: usize,
    /// How many with a permit have stepped out.
    outside: AtomicUsize,
    /// How many have stepped out and hung up: the next permit that is given back goes.
    lost: AtomicUsize,
    pace: Mutex<Pace>,
}

/// The right to read, until it is dropped.
#[derive(Debug)]
pub(super) struct ReadPermit<'a> {
    limiter: &'a ReadLimiter,
    _place: SemaphorePermit<'a>,
    inside: Option<SemaphorePermit<'a>>,
}

/// Somebody with a permit who lets another in.
struct Outside<'a> {
    limiter: &'a ReadLimiter,
    is_back: bool,
}

/// The time from one who leaves to the next, while others wait.
#[derive(Debug, Default)]
struct Pace {
    between: Duration,
    /// When the last one left, if somebody waited then.
    last: Option<Instant>,
}

impl Pace {
    fn note(&mut self, now: Instant, has_waiting: bool) {
        if let Some(last) = self.last {
            // The latest counts for an eighth: a few that take long are soon forgotten.
            self.between = (self.between * 7 + now.saturating_duration_since(last)) / 8;
        }
        self.last = has_waiting.then_some(now);
    }

    fn is_too_long_for(&self, waiting: usize) -> bool {
        waiting >= ALWAYS && self.between.saturating_mul(u32::try_from(waiting).unwrap_or(u32::MAX)) > WAIT
    }
}

impl ReadLimiter {
    /// Lets so many read at once.
    pub(super) fn new(at_once: usize) -> Self {
        let (places, inside) = (Semaphore::new(PLACES), Semaphore::new(at_once));
        Self {
            places,
            inside,
            at_once,
            outside: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
            pace: Mutex::default(),
        }
    }

    /// Waits to be let in; refuses who would wait too long.
    pub(super) async fn acquire(&self) -> Result<ReadPermit<'_>, StoreError> {
        let place = self.places.try_acquire().map_err(|_| StoreError::Busy)?;
        if self.pace.lock().is_too_long_for(self.waiting()) {
            return Err(StoreError::Busy);
        }
        match timeout(PERMIT_TIMEOUT, self.inside.acquire()).await {
            Ok(Ok(inside)) => Ok(ReadPermit { limiter: self, _place: place, inside: Some(inside) }),
            // It is never closed.
            Ok(Err(_)) | Err(_) => Err(StoreError::Busy),
        }
    }

    /// Waits for what others make, without reading: for so long another is let in. For who has a permit.
    pub(super) async fn step_out<T>(&self, wait: impl Future<Output = T>) -> Result<T, StoreError> {
        self.outside.fetch_add(1, Relaxed);
        self.inside.add_permits(1);
        let mut outside = Outside { limiter: self, is_back: false };
        let waited = wait.await;
        match timeout(PERMIT_TIMEOUT, self.inside.acquire()).await {
            Ok(Ok(inside)) => inside.forget(),
            Ok(Err(_)) | Err(_) => return Err(StoreError::Busy),
        }
        outside.is_back = true;
        Ok(waited)
    }

    fn waiting(&self) -> usize {
        let taken = PLACES - self.places.available_permits();
        taken.saturating_sub(self.at_once + self.outside.load(Relaxed))
    }
}

impl Drop for Outside<'_> {
    fn drop(&mut self) {
        self.limiter.outside.fetch_sub(1, Relaxed);
        self.limiter.lost.fetch_add(usize::from(!self.is_back), Relaxed);
    }
}

impl Drop for ReadPermit<'_> {
    fn drop(&mut self) {
        let lost = self.limiter.lost.fetch_update(Relaxed, Relaxed, |lost| lost.checked_sub(1));
        if lost.is_ok()
            && let Some(inside) = self.inside.take()
        {
            inside.forget();
        }
        self.limiter.pace.lock().note(Instant::now(), self.limiter.waiting() > 0);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn who_waits_is_let_in_when_another_leaves() {
        let limiter = ReadLimiter::new(1);
        let first = limiter.acquire().await.unwrap();
        let mut second = Box::pin(limiter.acquire());
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        second.await.unwrap();
    }

    #[tokio::test]
    async fn who_steps_out_lets_one_more_in_and_waits_to_come_back() {
        let limiter = ReadLimiter::new(1);
        let first = limiter.acquire().await.unwrap();
        let (made, awaited) = tokio::sync::oneshot::channel();
        let mut out = Box::pin(limiter.step_out(awaited));
        assert!(out.as_mut().now_or_never().is_none());
        let second = limiter.acquire().now_or_never().unwrap().unwrap();
        assert!(limiter.acquire().now_or_never().is_none(), "a third is let in");
        made.send(7).unwrap();
        assert!(out.as_mut().now_or_never().is_none(), "it is back beside the second");
        drop(second);
        assert_eq!(out.await.unwrap(), Ok(7));
        assert!(limiter.acquire().now_or_never().is_none(), "another is let in beside it");
        drop(first);
        limiter.acquire().now_or_never().unwrap().unwrap();
    }

    #[tokio::test]
    async fn who_steps_out_and_hangs_up_leaves_as_many_permits_as_there_were() {
        let limiter = ReadLimiter::new(2);
        for _ in 0..3 {
            let permit = limiter.acquire().await.unwrap();
            let mut out = Box::pin(limiter.step_out(std::future::pending::<()>()));
            assert!(out.as_mut().now_or_never().is_none());
            let others = [limiter.acquire().await.unwrap(), limiter.acquire().await.unwrap()];
            drop(out);
            drop(permit);
            assert!(limiter.acquire().now_or_never().is_none(), "both are still inside");
            drop(others);
            assert_eq!((limiter.inside.available_permits(), limiter.waiting()), (2, 0));
        }
    }

    #[tokio::test]
    async fn who_waits_too_long_is_let_go() {
        let limiter = ReadLimiter::new(1);
        let _first = limiter.acquire().await.unwrap();
        assert_eq!(limiter.acquire().await.unwrap_err(), StoreError::Busy);
    }

    #[tokio::test]
    async fn beyond_its_places_it_refuses_at_once() {
        let limiter = ReadLimiter::new(1);
        let _first = limiter.acquire().await.unwrap();
        let mut waiting: Vec<_> = (1..PLACES).map(|_| Box::pin(limiter.acquire())).collect();
        assert!(waiting.iter_mut().all(|one| one.as_mut().now_or_never().is_none()));
        assert_eq!(limiter.acquire().now_or_never().unwrap().unwrap_err(), StoreError::Busy);
        drop(waiting);
        assert!(limiter.acquire().now_or_never().is_none(), "there are places again");
    }

    #[test]
    fn who_would_wait_too_long_is_told_at_once_and_a_few_never_are() {
        let mut pace = Pace::default();
        let mut now = Instant::now();
        let mut leave = |pace: &mut Pace, after: u64| {
            now += Duration::from_millis(after);
            pace.note(now, true);
        };
        (0..100).for_each(|_| leave(&mut pace, 1));
        assert!(!pace.is_too_long_for(900) && pace.is_too_long_for(1_100), "{pace:?}");
        (0..100).for_each(|_| leave(&mut pace, 100));
        assert!(!pace.is_too_long_for(ALWAYS - 1) && pace.is_too_long_for(ALWAYS), "{pace:?}");
        (0..100).for_each(|_| leave(&mut pace, 1));
        assert!(!pace.is_too_long_for(900), "what took long is forgotten: {pace:?}");
        now += Duration::from_secs(3_600);
        pace.note(now, false);
        let before = pace.between;
        pace.note(now + Duration::from_secs(3_600), true);
        assert_eq!(pace.between, before, "a time in which nobody waited says nothing");
    }
}
