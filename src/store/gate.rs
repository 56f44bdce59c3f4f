//! The gate before reads that take long: so many at once, so many who wait, and nobody for long.
//!
//! Lists that memory cannot answer are counted by the database. Let in without a bound they would take every
//! connection, and those who ask for what is quick would wait behind them. An answer that comes too late serves nobody, so
//! nobody waits for ever either.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::StoreError;

/// How many may be inside or wait.
const PLACES: usize = 1_024;
/// How long one may wait. Long enough that a few dozen who come at once are all served, on a slow machine too.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Gate {
    places: Semaphore,
    inside: Semaphore,
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
        Self { places: Semaphore::new(PLACES), inside: Semaphore::new(at_once) }
    }

    /// Waits to be let in; refuses who would wait too long.
    pub(super) async fn enter(&self) -> Result<Inside<'_>, StoreError> {
        let place = self.places.try_acquire().map_err(|_| StoreError::Busy)?;
        match timeout(PATIENCE, self.inside.acquire()).await {
            Ok(Ok(inside)) => Ok(Inside { _place: place, _inside: inside }),
            // It is never closed.
            Ok(Err(_)) | Err(_) => Err(StoreError::Busy),
        }
    }
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
