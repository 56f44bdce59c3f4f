//! `carnet audit`: what was done with keys and tables, by whom, and whether the trail is whole.

use anyhow::bail;
use clap::Args;
use serde_json::json;

use super::{store, table, terminal};
use crate::config::Config;
use crate::store::audit::{Row, Trail};
use crate::store::key_admin::KeyAdmin;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but whether every row is there and as it was written; otherwise exit with 1
    #[arg(long, conflicts_with = "json")]
    verify: bool,
}

pub(super) async fn run(config: &Config, options: &Options) -> anyhow::Result<()> {
    let Some(admin) = KeyAdmin::inspect(&config.storage).await? else {
        // A mistyped path must not look like a trail with nothing in it.
        let place = config.storage.absolute();
        bail!("there is no store at {place}; --config or --database says where it is");
    };
    store::name(&config.storage, true);
    let trail = admin.trail().await?;
    if options.verify {
        return verify(&trail);
    }
    terminal::say(&if options.json { as_json(&trail.rows) } else { as_table(&trail.rows) })?;
    Ok(())
}

fn verify(trail: &Trail) -> anyhow::Result<()> {
    if let Err(fault) = trail.verify() {
        bail!("the audit trail is not whole: {fault}");
    }
    terminal::say(&format!("{} {}\n", trail.rows.len(), trail.ends_with()))?;
    terminal::remark("every row is there and as it was written; the second word is the hash of the last one");
    Ok(())
}

fn as_table(rows: &[Row]) -> String {
    let head = ["NUMBER", "AT", "EVENT", "SUBJECT", "BY", "ADDRESS", "DETAILS"];
    let rows = rows.iter().map(|row| {
        let Row { number, at, event, subject, by, address, details, .. } = row;
        let details = if details == "{}" { "" } else { details };
        [&number.to_string(), at, event, subject, by, address, details].map(str::to_owned).to_vec()
    });
    table::write(&head, &rows.collect::<Vec<_>>())
}

fn as_json(rows: &[Row]) -> String {
    let rows: Vec<_> = rows.iter().map(Row::to_json).collect();
    format!("{:#}\n", json!(rows))
}
