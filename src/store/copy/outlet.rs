//! Where a reader puts what it reads: counted, told to whoever watches, and handed on.

use std::time::Instant;

use tokio::sync::mpsc;

use super::failure::CopyError;
use super::progress::{Progress, Watch, tell};
use super::rows::{Batch, Sum, Tally};

pub(in crate::store) struct Outlet {
    tally: Tally,
    /// None where it is read only to be counted.
    onward: Option<mpsc::Sender<Batch>>,
    watch: Watch,
    /// Since when it has worked without a rest, where it is to rest for as long as it works.
    rested: Option<Instant>,
}

impl Outlet {
    pub(in crate::store) fn new(onward: Option<mpsc::Sender<Batch>>, watch: Watch) -> Self {
        Self { tally: Tally::default(), onward, watch, rested: None }
    }

    /// Leaves the other half of the time to whoever uses the server that is read from.
    pub(in crate::store) fn resting(self, rests: bool) -> Self {
        Self { rested: rests.then(Instant::now), ..self }
    }

    /// Hands a batch on, from a thread that may wait.
    pub(in crate::store) fn put(&mut self, batch: Batch) -> Result<(), CopyError> {
        self.count(&batch)?;
        match &self.onward {
            Some(onward) => onward.blocking_send(batch).map_err(|_| CopyError::Stopped),
            None => Ok(()),
        }
    }

    /// Hands a batch on, from a task.
    pub(in crate::store) async fn send(&mut self, batch: Batch) -> Result<(), CopyError> {
        self.count(&batch)?;
        if let Some(onward) = &self.onward {
            onward.send(batch).await.map_err(|_| CopyError::Stopped)?;
        }
        if let Some(rested) = &mut self.rested {
            tokio::time::sleep(rested.elapsed()).await;
            *rested = Instant::now();
        }
        Ok(())
    }

    fn count(&mut self, batch: &Batch) -> Result<(), CopyError> {
        // Whoever started the copy has gone.
        if self.watch.is_closed() {
            return Err(CopyError::Stopped);
        }
        self.tally.add(batch.count, &batch.rows);
        tell(&self.watch, Progress::Moved(batch.count));
        Ok(())
    }

    pub(in crate::store) fn sum(self) -> Sum {
        self.tally.sum()
    }
}
