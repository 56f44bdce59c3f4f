//! `carnet copy`: everything from one store into another, wholly or not at all.

use std::time::Instant;

use clap::Args;

use super::{WrongUsage, environment, progress, terminal};
use crate::config::Config;
use crate::store::copy::{self, CopyError, Order};
use crate::store::url::StorageUrl;

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
    let (catalog, any_filesystem) = (config.catalog, config.store.any_filesystem);
    let order = Order { from: &from, to: &to, catalog, any_filesystem, keeps_trail: false, rests: false };
    let begun = Instant::now();
    let copied = progress::shown(async |watch| copy::copy(&order, watch).await)?;
    let summary = copied.map_err(|error| match error {
        CopyError::SamePlace(..) => WrongUsage(error.to_string()).into(),
        CopyError::Open(error) => error.into(),
        other => anyhow::Error::new(other),
    })?;
    terminal::say(&progress::listed(&summary))?;
    let total = progress::total(&summary, begun.elapsed());
    terminal::remark(&format!("copied {} to {} and compared: {total}", from.absolute(), to.absolute()));
    Ok(())
}

/// The text itself is not repeated: it may hold a password.
fn storage(text: &str, option: &str) -> Result<StorageUrl, WrongUsage> {
    let parsed = StorageUrl::parse(text).and_then(|url| url.within(&environment::surroundings()));
    parsed.map_err(|error| WrongUsage(format!("{option} cannot be used: {error}")))
}
