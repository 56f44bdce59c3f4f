//! `carnet copy`: everything from one store into another, wholly or not at all.

mod bar;

use std::fmt::Write;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::sync::mpsc;

use super::signals::Stop;
use super::{WrongUsage, environment, terminal};
use crate::config::Config;
use crate::store::copy::{self, CopyError, Order, Progress, Summary};
use crate::store::url::StorageUrl;
use bar::Bar;

/// How often a person sees the bar move.
const REPAINT: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(super) struct Options {
    #[arg(long, value_name = "URL")]
    #[arg(help = "Where the data is, as sqlite:PATH or postgres://USER@HOST/NAME; it is only read")]
    from: String,
    #[arg(long, value_name = "URL")]
    #[arg(help = "Where it goes: a store that is empty, or made where there is none")]
    to: String,
}

pub(super) fn run(config: Config, options: &Options) -> anyhow::Result<()> {
    let (from, to) = (storage(&options.from, "--from")?, storage(&options.to, "--to")?);
    let order =
        Order { from: &from, to: &to, catalog: config.catalog, any_filesystem: config.store.any_filesystem };
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let copied = runtime.block_on(watched(&order));
    // What was given up is taken back before anybody hears of it.
    drop(runtime);
    let summary = copied.map_err(|error| match error {
        CopyError::SamePlace(..) => WrongUsage(error.to_string()).into(),
        CopyError::Open(error) => error.into(),
        other => anyhow::Error::new(other),
    })?;
    terminal::say(&listed(&summary))?;
    let total = total(&summary, begun.elapsed());
    terminal::remark(&format!("copied {} to {} and compared: {total}", from.absolute(), to.absolute()));
    Ok(())
}

/// The text itself is not repeated: it may hold a password.
fn storage(text: &str, option: &str) -> Result<StorageUrl, WrongUsage> {
    let parsed = StorageUrl::parse(text).and_then(|url| url.within(&environment::surroundings()));
    parsed.map_err(|error| WrongUsage(format!("{option} cannot be used: {error}")))
}

/// Copies, and tells how it goes, until it is done or a signal comes.
async fn watched(order: &Order<'_>) -> Result<Summary, CopyError> {
    let (watch, mut events) = mpsc::unbounded_channel();
    let mut stop = Stop::listen().map_err(|_| CopyError::Stopped)?;
    stop.begin();
    let mut bar = Bar::new();
    let mut repaint = tokio::time::interval(REPAINT);
    let mut is_committing = false;
    let copying = copy::copy(order, &watch);
    tokio::pin!(copying);
    loop {
        tokio::select! {
            copied = &mut copying => {
                while let Ok(event) = events.try_recv() {
                    bar.follow(event);
                }
                bar.clear();
                return copied;
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
                return Err(CopyError::Stopped);
            }
        }
    }
}

/// All of it, with what comes before the first record and after the last.
fn total(summary: &Summary, taken: Duration) -> String {
    let records: u64 = summary.collections.iter().map(|copied| copied.records).sum();
    let (rate, seconds, keys) = (bar::rate(records, taken), taken.as_secs_f64(), summary.keys);
    format!("{records} records, access keys: {keys}, in {seconds:.1} s, {rate} records a second")
}

/// One line for each collection: name, records, digest.
fn listed(summary: &Summary) -> String {
    let collections = &summary.collections;
    let width = collections.iter().map(|copied| copied.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for copied in collections {
        let _ = writeln!(text, "{:width$}  {:>10}  {:032x}", copied.name, copied.records, copied.digest);
    }
    text
}
