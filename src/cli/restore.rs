//! `carnet restore`: a backup in the place of the configured store.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{progress, terminal};
use crate::config::Config;
use crate::store::backup::{self, RestoreOrder};

#[derive(Debug, Args)]
pub(super) struct Options {
    #[arg(help = "The backup; it is verified first, and only read")]
    file: PathBuf,
    #[arg(long)]
    #[arg(help = "Also where the store has records; it is kept beside, as carnet.db.before-<time>")]
    replace: bool,
    #[arg(long, value_name = "WHOSE", default_value = "store")]
    #[arg(help = "Whose access keys and trail the store has then: its own, or those of the backup")]
    keys: Whose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Whose {
    Store,
    Backup,
}

pub(super) fn run(config: &Config, options: &Options) -> anyhow::Result<()> {
    let order = RestoreOrder {
        backup: &options.file,
        to: &config.storage,
        catalog: config.catalog.clone(),
        replaces: options.replace,
        takes_keys: options.keys == Whose::Backup,
        any_filesystem: config.store.any_filesystem,
    };
    let restored = progress::shown(async |watch| backup::restore(&order, watch).await)??;
    terminal::say(&progress::listed(&restored.verified.summary))?;
    progress::tell_undeclared(&options.file, &restored.verified.summary);
    for name in &restored.returned {
        terminal::remark(&format!("the access key {name} of the backup is good again"));
    }
    if let Some(kept) = &restored.kept {
        terminal::remark(&format!("what was there before is kept as {}", kept.display()));
    }
    terminal::remark(&format!("restored {} into {}", options.file.display(), config.storage.absolute()));
    Ok(())
}
