//! `carnet keys`: make, list, rotate and revoke access keys. A running server follows within one second.

use std::time::Duration;

use anyhow::Context;
use clap::Subcommand;
use serde_json::json;

use super::{WrongUsage, store, table, terminal};
use crate::catalog::Catalog;
use crate::catalog::collection::Admission;
use crate::config::Config;
use crate::record::access_key::{AccessKey, KeyEntry, KeyName, LONGEST_GRACE, USUAL_GRACE, grace};
use crate::record::moment::Moment;
use crate::record::scope::Scopes;
use crate::store::audit::Actor;
use crate::store::key_admin::KeyAdmin;
use crate::store::keys::{Changed, KeyAdminError, KeyChange, NewKey, Rotation};

/// A key that was not used for so long may be one that nobody needs.
const STALE: Duration = Duration::from_secs(90 * 86_400);

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make an access key and print it, once
    Create {
        /// What to call it; without a name: key-1, key-2, …
        name: Option<String>,
        /// What it may do: COLLECTION:read, COLLECTION:write, *:read, *:write; several times, or with commas between.
        /// Without it: everything
        #[arg(long, value_name = "SCOPE", value_delimiter = ',')]
        scope: Vec<String>,
        /// When it ends: from now on (12h, 90d), a day (2027-01-31) or a moment (RFC 3339). Without it: never
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
        /// Store this key instead of a new random one: printable, without spaces
        #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
        key: Option<String>,
        /// Let it manage access keys over HTTP: list, make, rotate and revoke them
        #[arg(long)]
        admin: bool,
    },
    /// List the access keys: name, first characters, what they may, until when, when they were last used; never the key
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Give an access key a new secret and print it, once; the one before stays good for a while
    Rotate {
        /// What it is called
        name: String,
        /// How long the secret before stays good: 7d, 12h, 0s [default: 7d]
        #[arg(long, value_name = "TIME")]
        grace: Option<String>,
    },
    /// Revoke an access key
    Revoke {
        /// What it is called
        name: String,
    },
}

pub(super) async fn run(config: &Config, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create { name, scope, expires, key, admin } => {
            let name = name.as_deref().map(KeyName::parse).transpose();
            let access_key = match key {
                Some(text) => AccessKey::parse(&text)
                    .map_err(|error| WrongUsage(format!("--key cannot be used: {error}")))?,
                None => generate()?,
            };
            let key = NewKey {
                name: name.map_err(|error| WrongUsage(error.to_string()))?,
                access_key,
                is_admin: admin,
                scopes: scopes(&config.catalog, &scope)?,
                expires: expires.as_deref().map(end).transpose()?,
            };
            create(config, key).await
        }
        Command::List { json } => {
            let admin = KeyAdmin::inspect(&config.storage).await?;
            store::name(&config.storage, admin.is_some());
            let entries = match admin {
                Some(admin) => admin.list().await?,
                None => Vec::new(),
            };
            terminal::say(&if json { as_json(&entries) } else { as_table(&entries) })?;
            if !json {
                remark_stale(&entries);
            }
            Ok(())
        }
        Command::Rotate { name, grace: given } => rotate(config, name, given.as_deref()).await,
        Command::Revoke { name } => {
            let revoked = change_existing(config, name.clone(), KeyChange::Revoke(name)).await?;
            terminal::remark(&format!("revoked {}", revoked.name));
            Ok(())
        }
    }
}

async fn create(config: &Config, key: NewKey) -> anyhow::Result<()> {
    let is_there = KeyAdmin::inspect(&config.storage).await?.is_some();
    let mut admin = KeyAdmin::open(&config.storage).await?;
    store::name_for_change(&config.storage, is_there);
    let access_key = key.access_key.clone();
    let created = admin.change(&KeyChange::Create(key), &Actor::command_line()).await?;
    if config.catalog.collections().iter().all(|collection| collection.admission() == Admission::Open) {
        terminal::remark(&format!(
            "carnet: warning: no collection of {} asks for a key, so everybody may read and write without one; \
             `authentication` and `authorization` under [collection.access] change that",
            config.origin
        ));
    }
    if access_key.is_guessable() {
        terminal::remark(
            "carnet: warning: this key is short enough to be guessed; leave out --key for a random one",
        );
    }
    terminal::say(&format!("{}\n", access_key.reveal()))?;
    terminal::remark(&format!(
        "stored as {}; only its hash is kept, so this is the last time it is shown",
        created.name
    ));
    Ok(())
}

async fn rotate(config: &Config, name: String, given: Option<&str>) -> anyhow::Result<()> {
    let grace = match given {
        None => USUAL_GRACE,
        Some(text) => grace(text).ok_or_else(|| {
            let form = "a whole number with s, m, h, d or w";
            WrongUsage(format!("--grace cannot be `{text}`: it is {form}, and at most {LONGEST_GRACE} days"))
        })?,
    };
    let access_key = generate()?;
    let rotation = Rotation { name: name.clone(), access_key: access_key.clone(), grace };
    let rotated = change_existing(config, name, KeyChange::Rotate(rotation)).await?;
    terminal::say(&format!("{}\n", access_key.reveal()))?;
    let before = match rotated.previous_until {
        Some(until) => format!("the secret before is good until {until}"),
        None => "the secret before is good no more".to_owned(),
    };
    terminal::remark(&format!("the new secret of {}, shown this once; {before}", rotated.name));
    Ok(())
}

/// Changes the stored key of this name. Where there is no store there is none to change, and none is made.
async fn change_existing(config: &Config, name: String, change: KeyChange) -> anyhow::Result<Changed> {
    let is_there = KeyAdmin::inspect(&config.storage).await?.is_some();
    store::name(&config.storage, is_there);
    if !is_there {
        return Err(KeyAdminError::Unknown(name).into());
    }
    let mut admin = KeyAdmin::open(&config.storage).await?;
    Ok(admin.change(&change, &Actor::command_line()).await?)
}

fn generate() -> anyhow::Result<AccessKey> {
    AccessKey::generate().context("no random numbers can be had")
}

fn scopes(catalog: &Catalog, given: &[String]) -> Result<Scopes, WrongUsage> {
    if given.is_empty() {
        return Ok(Scopes::everything());
    }
    let parsed = Scopes::parse(catalog, given.iter().map(|text| text.trim()));
    parsed.map_err(|error| WrongUsage(format!("--scope cannot be used: {error}")))
}

fn end(text: &str) -> Result<Moment, WrongUsage> {
    let parsed = Moment::parse_future(text, Moment::now());
    parsed.map_err(|error| WrongUsage(format!("--expires cannot be `{text}`: {error}")))
}

fn as_table(entries: &[KeyEntry]) -> String {
    // Seldom of interest, and wide.
    let is_rotating = entries.iter().any(|entry| entry.previous_until.is_some());
    let mut head = vec!["NAME", "PREFIX", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "ADMIN"];
    if is_rotating {
        head.insert(6, "SECRET BEFORE UNTIL");
    }
    let rows = entries.iter().map(|entry| {
        let or = |text: &Option<String>, instead: &str| text.as_deref().unwrap_or(instead).to_owned();
        let mut row = vec![
            entry.name.clone(),
            entry.prefix.clone(),
            entry.scopes.texts().join(","),
            entry.created.clone(),
            or(&entry.expires, "never"),
            or(&entry.last_used, "never"),
            if entry.is_admin { "yes" } else { "no" }.to_owned(),
        ];
        if is_rotating {
            row.insert(6, or(&entry.previous_until, ""));
        }
        row
    });
    table::write(&head, &rows.collect::<Vec<_>>())
}

/// Says which keys nobody may need any more, to whoever looks.
fn remark_stale(entries: &[KeyEntry]) {
    let now = Moment::now().seconds();
    let is_old = |text: &str| {
        let age = Moment::parse(text).map(|moment| now - moment.seconds());
        age.is_some_and(|age| age.unsigned_abs() >= STALE.as_secs() && age > 0)
    };
    let stale = entries.iter().filter(|entry| is_old(entry.last_used.as_ref().unwrap_or(&entry.created)));
    let names: Vec<&str> = stale.map(|entry| entry.name.as_str()).collect();
    if !names.is_empty() {
        let days = STALE.as_secs() / 86_400;
        terminal::remark(&format!("not used for {days} days: {}; are they still needed?", names.join(", ")));
    }
}

fn as_json(entries: &[KeyEntry]) -> String {
    let entries: Vec<_> = entries
        .iter()
        .map(|entry| {
            let KeyEntry { name, prefix, created, is_admin, scopes, expires, last_used, previous_until } =
                entry;
            json!({
                "name": name, "prefix": prefix, "created": created, "admin": is_admin,
                "scopes": scopes.texts(), "expires": expires, "last_used": last_used,
                "previous_until": previous_until,
            })
        })
        .collect();
    format!("{:#}\n", json!(entries))
}
