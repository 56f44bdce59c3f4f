//! `carnet check`: what the configuration means, and what a start would change. Changes nothing.

use std::fmt::Write;

use super::{terminal, tls};
use crate::catalog::control::Control;
use crate::catalog::name;
use crate::config::Config;
use crate::store::migration::MigrationPlan;
use crate::store::{OpenError, Store};
use crate::transfer::vcard::VcardMapping;

/// What the words of one field of a million records take, where each has one: a name, a city.
const MEGABYTES_OF_WORDS: f64 = 5.5;

pub(super) async fn run(config: &Config) -> anyhow::Result<()> {
    let plan = Store::plan(&config.storage, &config.catalog).await?;
    terminal::remark(&format!("store: {}", config.storage.absolute()));
    if !plan.conflicts.is_empty() {
        return Err(OpenError::Contradiction(plan.conflicts).into());
    }
    let warning = config.tls.as_ref().map(tls::load).transpose()?.and_then(|(_, warning)| warning);
    let mut text = format!("# the configuration of {} with every default\n", config.origin);
    text.push_str(&config.effective());
    describe(&mut text, config, &plan);
    if let Some(warning) = warning {
        let _ = writeln!(text, "# warning: {warning}");
    }
    terminal::say(&text)?;
    Ok(())
}

/// What a start would change, as comments: the whole output can be read back as a configuration.
fn describe(text: &mut String, config: &Config, plan: &MigrationPlan) {
    let storage = &config.storage;
    let _ = if plan.steps.is_empty() {
        writeln!(text, "\n# a start would change nothing in {storage}")
    } else {
        writeln!(text, "\n# a start would change in {storage}:")
    };
    for step in &plan.steps {
        let _ = writeln!(text, "# - {}", step.words);
    }
    for note in &plan.notes {
        let _ = writeln!(text, "# note: {note}");
    }
    for collection in config.catalog.collections() {
        let searchable = collection.fields().iter().filter(|field| field.is_searchable()).count();
        if searchable > 0 {
            let (name, megabytes) = (collection.name(), searchable as f64 * MEGABYTES_OF_WORDS);
            let _ = writeln!(
                text,
                "# note: the search in `{name}` takes about {megabytes} MB of memory for each million records, \
                 besides [server] memory"
            );
        }
    }
    for collection in config.catalog.collections() {
        let pairs = VcardMapping::of(&config.catalog, collection).pairs(&config.catalog);
        let pairs: Vec<String> =
            pairs.into_iter().map(|(property, field)| format!("{field} is {property}")).collect();
        if !pairs.is_empty() {
            let _ = writeln!(text, "# note: in a vCard of `{}` {}", collection.name(), pairs.join(", "));
        }
    }
    let key_parameters = name::key_parameters(&config.api.access_parameter);
    for collection in config.catalog.collections() {
        for control in Control::ALL.into_iter().filter(|control| control.is_for(collection)) {
            let (name, long) = (control.name(), control.name_in(collection, &key_parameters));
            if long != name {
                let collection = collection.name();
                let _ = writeln!(
                    text,
                    "# note: `{name}` has another meaning in lists of `{collection}`; for what it means elsewhere \
                     write `{long}`"
                );
            }
        }
    }
}
