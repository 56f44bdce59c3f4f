//! `carnet backup`: one file of one moment, while the store is served.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::{WrongUsage, progress, terminal};
use crate::config::Config;
use crate::store::backup::{self, BackupOrder, folder};

/// How much less than others a backup asks for a core, as `nice` counts it.
const PATIENCE: i32 = 10;

#[derive(Debug, Args)]
pub(super) struct Options {
    #[arg(help = "The file to make, never over an existing one; or a folder, for carnet-<time>.db in it")]
    file: PathBuf,
    #[arg(long, value_name = "N")]
    #[arg(help = "Of the backups in the folder, keep the newest N and delete the others")]
    keep: Option<NonZeroUsize>,
    #[arg(long)]
    #[arg(help = "Do not rest: without it a server has disk and core to itself for half of the time")]
    fast: bool,
}

pub(super) fn run(config: &Config, options: &Options) -> anyhow::Result<()> {
    let Options { file, keep, fast } = options;
    let is_folder = file.is_dir();
    if keep.is_some() && !is_folder {
        let words = format!("--keep is for a folder of backups, and {} is none", file.display());
        return Err(WrongUsage(words).into());
    }
    if is_folder {
        folder::clear(file)?;
    }
    let to = if is_folder { folder::place(file) } else { file.clone() };
    if !fast {
        // A server beside it comes first, for a core as for the disk. Every thread from now on is as patient.
        let _ = rustix::process::nice(PATIENCE);
    }
    let (from, catalog) = (&config.storage, config.catalog.clone());
    let order = BackupOrder { from, to: &to, catalog, rests: !fast };
    let begun = Instant::now();
    let summary = progress::shown(async |watch| backup::backup(&order, watch).await)??;
    terminal::say(&progress::listed(&summary))?;
    let total = progress::total(&summary, begun.elapsed());
    terminal::remark(&format!("backed up {} to {} and looked at: {total}", from.absolute(), to.display()));
    if let Some(keep) = keep {
        for gone in folder::prune(file, keep.get())? {
            terminal::remark(&format!("deleted {}", gone.display()));
        }
    }
    Ok(())
}
