//! `carnet openapi`: the OpenAPI document of the configuration.

use super::terminal;
use crate::api::openapi;
use crate::config::Config;

pub(super) fn run(config: &Config) -> anyhow::Result<()> {
    let document = openapi::document(&config.catalog, &config.api);
    terminal::say(&format!("{document:#}\n"))?;
    Ok(())
}
