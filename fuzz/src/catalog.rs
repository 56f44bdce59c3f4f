//! What the targets talk about: collections with every type of field, pages of several kinds, and every rule.

use std::sync::{Arc, OnceLock};

use carnet::catalog::Catalog;
use carnet::config::{Config, Origin, Overrides};
use dev::configs::EVERYTHING;

/// The configuration, understood.
pub(crate) fn config() -> Config {
    let origin = Origin::File("fuzz.toml".into());
    Config::parse(EVERYTHING, origin, &Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Its collections.
pub(crate) fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Arc<Catalog>> = OnceLock::new();
    CATALOG.get_or_init(|| config().catalog)
}
