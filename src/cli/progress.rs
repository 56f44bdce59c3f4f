//! How far a copy, a backup or a look is, and what it came to.

mod bar;

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use tokio::sync::mpsc;

use super::signals::Stop;
use super::terminal;
use crate::store::copy::{CopyError, Progress, Summary, Watch};
use bar::Bar;

/// How often a person sees the bar move.
const REPAINT: Duration = Duration::from_millis(200);

/// Does the work on threads of its own, and tells how it goes. What was given up is taken back before anybody hears of
/// it.
pub(super) fn shown<T, E: From<CopyError>>(
    work: impl AsyncFnOnce(&Watch) -> Result<T, E>,
) -> std::io::Result<Result<T, E>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    Ok(runtime.block_on(watched(work)))
}

/// Works until it is done or a signal comes.
async fn watched<T, E: From<CopyError>>(work: impl AsyncFnOnce(&Watch) -> Result<T, E>) -> Result<T, E> {
    let (watch, mut events) = mpsc::unbounded_channel();
    let mut stop = Stop::listen().map_err(|_| CopyError::Stopped)?;
    stop.begin();
    let mut bar = Bar::new();
    let mut repaint = tokio::time::interval(REPAINT);
    let mut is_committing = false;
    let working = work(&watch);
    tokio::pin!(working);
    loop {
        tokio::select! {
            done = &mut working => {
                while let Ok(event) = events.try_recv() {
                    bar.follow(event);
                }
                bar.clear();
                return done;
            }
            Some(event) = events.recv() => {
                is_committing |= matches!(event, Progress::Committing);
                bar.follow(event);
            }
            _ = repaint.tick() => bar.paint(),
            // A commit that was begun is waited for: what became of it must be known. Who does not want to wait for
            // that, or until everything is taken back, sends a second signal.
            _ = stop.first(), if !is_committing => {
                bar.clear();
                return Err(CopyError::Stopped.into());
            }
        }
    }
}

/// All of it, with what comes before the first record and after the last.
pub(super) fn total(summary: &Summary, taken: Duration) -> String {
    let records: u64 = summary.collections.iter().map(|copied| copied.records).sum();
    let (rate, seconds, keys) = (bar::rate(records, taken), taken.as_secs_f64(), summary.keys);
    format!("{records} records, access keys: {keys}, in {seconds:.1} s, {rate} records a second")
}

/// Says what a file holds that the lists of records do not show.
pub(super) fn tell_undeclared(file: &Path, summary: &Summary) {
    let named = |(name, records): &(String, u64)| match records {
        1 => format!("{name} (1 record)"),
        _ => format!("{name} ({records} records)"),
    };
    let tables: Vec<String> = summary.undeclared.iter().map(named).collect();
    if !tables.is_empty() {
        let (file, tables) = (file.display(), tables.join(", "));
        let words = "which the configuration does not declare: not counted";
        terminal::remark(&format!("{file} also holds {tables}, {words}"));
    }
}

/// One line for each collection: name, records, digest.
pub(super) fn listed(summary: &Summary) -> String {
    let collections = &summary.collections;
    let width = collections.iter().map(|copied| copied.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for copied in collections {
        let _ = writeln!(text, "{:width$}  {:>10}  {:032x}", copied.name, copied.records, copied.digest);
    }
    text
}
