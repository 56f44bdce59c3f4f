//! Backups that a server makes by itself: a thread of its own, which waits until the newest is old enough.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::sync::{mpsc, oneshot};

use super::failure::BackupError;
use super::{BackupOrder, backup, folder};
use crate::catalog::Catalog;
use crate::observe::{Event, Observer};
use crate::record::moment::Moment;
use crate::store::Schedule;
use crate::store::copy::Summary;
use crate::store::url::StorageUrl;

/// How often the clock is looked at: it may be set, and a machine that slept has missed its waits.
const LOOK: Duration = Duration::from_secs(5);
/// How long after a failure it is tried again, unless backups are made more often than that.
const RETRY: Duration = Duration::from_mins(10);

/// The thread that makes them.
pub struct Backups {
    /// It ends once this is gone.
    stop: oneshot::Sender<()>,
    ended: Receiver<()>,
}

impl Backups {
    pub fn start(
        schedule: Schedule,
        from: StorageUrl,
        catalog: Arc<Catalog>,
        observer: Arc<Observer>,
    ) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, mut stopped) = oneshot::channel();
        let (end, ended) = channel();
        let maker = Maker { schedule, from, catalog, observer };
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = &mut stopped => {}
                    () = maker.run() => {}
                }
            });
            // Waits until a backup that was under way is taken back.
            drop(runtime);
            // Whoever stopped us may have given up waiting.
            let _ = end.send(());
        };
        std::thread::Builder::new().name("backups".into()).spawn(run)?;
        Ok(Self { stop, ended })
    }

    /// Has a backup that is under way taken back, for as long as there is patience: what is left behind then is a file
    /// of a passing name, which the next backup takes away.
    pub fn stop(self, patience: Duration) {
        drop(self.stop);
        // The process ends anyway.
        let _ = self.ended.recv_timeout(patience);
    }
}

struct Maker {
    schedule: Schedule,
    from: StorageUrl,
    catalog: Arc<Catalog>,
    observer: Arc<Observer>,
}

impl Maker {
    /// Never ends; it may be dropped at any time.
    async fn run(&self) {
        let mut newest = None;
        loop {
            let rest = match self.look(&mut newest).await {
                Ok(()) => LOOK,
                Err(error) => {
                    self.observer.backup_failed(&error.to_string());
                    RETRY
                }
            };
            tokio::time::sleep(rest.min(self.schedule.every)).await;
        }
    }

    /// Makes a backup if it is time. The folder is read only then: others may have made one in it.
    async fn look(&self, newest: &mut Option<Moment>) -> Result<(), BackupError> {
        if !self.is_due(*newest) {
            return Ok(());
        }
        self.read_newest(newest)?;
        if !self.is_due(*newest) {
            return Ok(());
        }
        let Schedule { folder, keep, .. } = &self.schedule;
        folder::clear(folder)?;
        let (to, begun) = (folder::place(folder), Instant::now());
        let summary = self.make(&to).await?;
        let records = summary.collections.iter().map(|copied| copied.records).sum();
        let (file, duration) = (&to.to_string_lossy(), begun.elapsed());
        self.observer.report(Event::BackupDone { file, records, duration });
        self.read_newest(newest)?;
        if let Err(error) = folder::prune(folder, *keep) {
            self.observer.report(Event::Warning(&format!("an old backup was not deleted: {error}")));
        }
        Ok(())
    }

    /// A newest one that is later than now says nothing: the clock was set back.
    fn is_due(&self, newest: Option<Moment>) -> bool {
        let now = Moment::now();
        let next = newest.filter(|newest| *newest <= now).map(|newest| newest.after(self.schedule.every));
        match next {
            Some(Some(next)) => next <= now,
            // It is beyond all years.
            Some(None) => false,
            None => true,
        }
    }

    fn read_newest(&self, newest: &mut Option<Moment>) -> Result<(), BackupError> {
        *newest = folder::newest(&self.schedule.folder)?;
        self.observer.newest_backup_is(newest.map_or(0, Moment::seconds));
        Ok(())
    }

    /// A panic is a failure as any other, or there would be no more backups, and nobody would know.
    async fn make(&self, to: &Path) -> Result<Summary, BackupError> {
        let (watch, mut told) = mpsc::unbounded_channel();
        let order = BackupOrder { from: &self.from, to, catalog: self.catalog.clone(), rests: true };
        let making = AssertUnwindSafe(backup(&order, &watch)).catch_unwind();
        tokio::pin!(making);
        loop {
            tokio::select! {
                made = &mut making => return made.unwrap_or_else(|_| {
                    Err(BackupError::Failed { place: to.display().to_string(), cause: "a bug: panicked".into() })
                }),
                // Nobody watches: what is told only must not pile up.
                _ = told.recv() => {}
            }
        }
    }
}
