//! `carnet openapi`: the OpenAPI document of the configuration.

use super::terminal;
use crate::api::openapi::{self, Service};
use crate::config::Config;

pub(super) fn run(config: &Config) -> anyhow::Result<()> {
    let service = Service {
        access_parameter: &config.api.access_parameter,
        shows_metrics: config.api.shows_metrics,
        has_console: config.api.has_console,
    };
    let document = openapi::document(&config.catalog, service);
    terminal::say(&format!("{document:#}\n"))?;
    Ok(())
}
