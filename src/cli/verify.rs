//! `carnet verify`: whether everything in a store or a backup is whole.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::{progress, terminal};
use crate::config::Config;
use crate::store::backup;
use crate::store::url::StorageUrl;

#[derive(Debug, Args)]
pub(super) struct Options {
    #[arg(help = "A backup [default: the store that is configured, also beside a server]")]
    file: Option<PathBuf>,
}

pub(super) fn run(config: &Config, options: &Options) -> anyhow::Result<()> {
    let url =
        options.file.as_ref().map_or_else(|| config.storage.clone(), |file| StorageUrl::Sqlite(file.clone()));
    let begun = Instant::now();
    let verified = progress::shown(async |watch| backup::verify(&url, &config.catalog, watch).await)??;
    terminal::say(&progress::listed(&verified.summary))?;
    if let Some(file) = &options.file
        && !verified.has_checksum
    {
        terminal::remark(&format!("there is no {}.sha256 to compare it with", file.display()));
    }
    if let StorageUrl::Sqlite(path) = &url {
        progress::tell_undeclared(path, &verified.summary);
    }
    let total = progress::total(&verified.summary, begun.elapsed());
    terminal::remark(&format!("{} is whole: {total}", url.absolute()));
    Ok(())
}
