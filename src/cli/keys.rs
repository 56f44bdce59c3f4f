//! `carnet keys`: make, list and revoke access keys. A running server follows within one second.

use std::fmt::Write;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::json;

use super::{WrongUsage, terminal};
use crate::config::Config;
use crate::record::access_key::{AccessKey, KeyEntry};
use crate::store::keys::KeyRing;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make an access key and print it, once
    Create {
        /// What to call it; without a name: key-1, key-2, …
        name: Option<String>,
        /// Store this key instead of a new random one: printable, without spaces
        #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
        key: Option<String>,
    },
    /// List the access keys: name, first characters, when they were made; never the key
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke an access key
    Revoke {
        /// What it is called
        name: String,
    },
}

pub(super) fn run(config: &Config, command: Command) -> anyhow::Result<()> {
    let mut ring = KeyRing::open(&config.storage)?;
    match command {
        Command::Create { name, key } => create(&mut ring, name.as_deref(), key.as_deref()),
        Command::List { json } => {
            let entries = ring.list()?;
            terminal::say(&if json { as_json(&entries) } else { as_table(&entries) })?;
            Ok(())
        }
        Command::Revoke { name } => {
            if !ring.revoke(&name)? {
                bail!("there is no access key named {name}; `carnet keys list` shows those there are");
            }
            terminal::remark(&format!("revoked {name}"));
            Ok(())
        }
    }
}

fn create(ring: &mut KeyRing, name: Option<&str>, given: Option<&str>) -> anyhow::Result<()> {
    if name.is_some_and(|name| name.is_empty() || name.chars().any(char::is_control)) {
        return Err(WrongUsage("a name has at least one character, and no control characters".into()).into());
    }
    let access_key = match given {
        Some(text) => {
            AccessKey::parse(text).map_err(|error| WrongUsage(format!("--key cannot be used: {error}")))?
        }
        None => AccessKey::generate().context("no random numbers can be had")?,
    };
    let name = ring.create(name, &access_key)?;
    if access_key.is_guessable() {
        terminal::remark(
            "carnet: warning: this key is short enough to be guessed; leave out --key for a random one",
        );
    }
    terminal::say(&format!("{}\n", access_key.reveal()))?;
    terminal::remark(&format!(
        "stored as {name}; only its hash is kept, so this is the last time it is shown"
    ));
    Ok(())
}

fn as_table(entries: &[KeyEntry]) -> String {
    let width = |of: fn(&KeyEntry) -> &str, title: &str| {
        let longest = entries.iter().map(|entry| of(entry).chars().count()).max();
        longest.unwrap_or(0).max(title.len())
    };
    let name_width = width(|entry| &entry.name, "NAME");
    let prefix_width = width(|entry| &entry.prefix, "PREFIX");
    let mut text = format!("{:name_width$}  {:prefix_width$}  CREATED\n", "NAME", "PREFIX");
    for KeyEntry { name, prefix, created } in entries {
        let _ = writeln!(text, "{name:name_width$}  {prefix:prefix_width$}  {created}");
    }
    text
}

fn as_json(entries: &[KeyEntry]) -> String {
    let entries: Vec<_> = entries
        .iter()
        .map(|KeyEntry { name, prefix, created }| json!({"name": name, "prefix": prefix, "created": created}))
        .collect();
    format!("{:#}\n", json!(entries))
}
