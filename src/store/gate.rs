//! The gate before reads that take long: so many at once, so many who wait, and nobody for long.
//!
//! Lists that memory cannot answer are counted by the database. Let in without a bound they would take every
//! connection, and those who ask for what is quick would wait behind them. Who waits is let go the sooner the longer the
//! crowd has lasted: a short one is served to the last, in a lasting one an answer that comes late serves nobody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

use super::StoreError;

/// How many may be inside or wait.
const PLACES: usize = 1_024;
/// How long one may wait; and how long once nobody came in at once for `LASTING`.
const PATIENCE: Duration = Duration::from_secs(1);
const SHORT_PATIENCE: Duration = Duration::from_millis(40);
const LASTING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Gate {
    places: Semaphore,
    inside: Semaphore,
    opened: Instant,
    /// When somebody last came in without waiting, in milliseconds since `opened`.
    last_free: AtomicU64,
}

/// The right to be inside, until it is dropped.
#[derive(Debug)]
pub(super) struct Inside<'a> {
    _place: SemaphorePermit<'a>,
    _inside: SemaphorePermit<'a>,
}

impl Gate {
    /// A gate that lets in so many at once.
    pub(super) fn new(at_once: usize) -> Self {
        Self {
            places: Semaphore::new(PLACES),
            inside: Semaphore::new(at_once),
            opened: Instant::now(),
            last_free: AtomicU64::new(0),
        }
    }

    /// Waits to be let in; refuses who would wait too long.
    pub(super) async fn enter(&self) -> Result<Inside<'_>, StoreError> {
        let place = self.places.try_acquire().map_err(|_| StoreError::Busy)?;
        let now = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Ok(inside) = self.inside.try_acquire() {
            self.last_free.store(now, Ordering::Relaxed);
            return Ok(Inside { _place: place, _inside: inside });
        }
        let patience = patience(now, self.last_free.load(Ordering::Relaxed));
        match timeout(patience, self.inside.acquire()).await {
            Ok(Ok(inside)) => Ok(Inside { _place: place, _inside: inside }),
            // It is never closed.
            Ok(Err(_)) | Err(_) => Err(StoreError::Busy),
        }
    }
}

/// How long one may wait now, in milliseconds, when somebody last came in at once then.
fn patience(now: u64, last_free: u64) -> Duration {
    let crowded = Duration::from_millis(now.saturating_sub(last_free));
    if crowded > LASTING { SHORT_PATIENCE } else { PATIENCE }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn who_waits_is_let_in_when_another_leaves() {
        let gate = Gate::new(1);
        let first = gate.enter().await.unwrap();
        let mut second = Box::pin(gate.enter());
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        second.await.unwrap();
    }

    #[tokio::test]
    async fn who_waits_too_long_is_let_go() {
        let gate = Gate::new(1);
        let _first = gate.enter().await.unwrap();
        assert_eq!(gate.enter().await.unwrap_err(), StoreError::Busy);
    }

    #[test]
    fn the_longer_the_crowd_has_lasted_the_sooner() {
        assert_eq!((patience(1_500, 1_000), patience(2_001, 1_000)), (PATIENCE, SHORT_PATIENCE));
        assert_eq!(patience(0, 5), PATIENCE);
    }

    #[tokio::test]
    async fn beyond_its_places_it_refuses_at_once() {
        let gate = Gate::new(1);
        let _first = gate.enter().await.unwrap();
        let mut waiting: Vec<_> = (1..PLACES).map(|_| Box::pin(gate.enter())).collect();
        assert!(waiting.iter_mut().all(|one| one.as_mut().now_or_never().is_none()));
        assert_eq!(gate.enter().now_or_never().unwrap().unwrap_err(), StoreError::Busy);
        drop(waiting);
        assert!(gate.enter().now_or_never().is_none(), "there are places again");
    }
}
