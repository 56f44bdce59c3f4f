//! `carnet keys`: make, list and revoke access keys. A running server follows within one second.

use std::fmt::Write;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::json;

use super::{WrongUsage, terminal};
use crate::config::Config;
use crate::record::access_key::{AccessKey, KeyEntry, KeyName};
use crate::store::keys::{KeyRing, NewKey};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make an access key and print it, once
    Create {
        /// What to call it; without a name: key-1, key-2, …
        name: Option<String>,
        /// Store this key instead of a new random one: printable, without spaces
        #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
        key: Option<String>,
        /// Let it manage access keys over HTTP: list, make and revoke them
        #[arg(long)]
        admin: bool,
    },
    /// List the access keys: name, first characters, when they were made, what they may; never the key
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
        Command::Create { name, key, admin } => create(&mut ring, name.as_deref(), key.as_deref(), admin),
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

fn create(ring: &mut KeyRing, name: Option<&str>, given: Option<&str>, is_admin: bool) -> anyhow::Result<()> {
    let name = name.map(KeyName::parse).transpose().map_err(|error| WrongUsage(error.to_string()))?;
    let access_key = match given {
        Some(text) => {
            AccessKey::parse(text).map_err(|error| WrongUsage(format!("--key cannot be used: {error}")))?
        }
        None => AccessKey::generate().context("no random numbers can be had")?,
    };
    let name = ring.create(NewKey { name: name.as_ref(), access_key: &access_key, is_admin })?;
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
    let created_width = width(|entry| &entry.created, "CREATED");
    let mut text = String::new();
    let mut line = |name: &str, prefix: &str, created: &str, admin: &str| {
        let _ =
            writeln!(text, "{name:name_width$}  {prefix:prefix_width$}  {created:created_width$}  {admin}");
    };
    line("NAME", "PREFIX", "CREATED", "ADMIN");
    for KeyEntry { name, prefix, created, is_admin } in entries {
        line(name, prefix, created, if *is_admin { "yes" } else { "no" });
    }
    text
}

fn as_json(entries: &[KeyEntry]) -> String {
    let entries: Vec<_> = entries
        .iter()
        .map(|KeyEntry { name, prefix, created, is_admin }| {
            json!({"name": name, "prefix": prefix, "created": created, "admin": is_admin})
        })
        .collect();
    format!("{:#}\n", json!(entries))
}
