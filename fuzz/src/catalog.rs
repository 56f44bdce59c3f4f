//! What the targets talk about: collections with every type of field, pages of several kinds, and every rule.

use std::sync::OnceLock;

use carnet::catalog::Catalog;
use carnet::config::{Config, Origin, Overrides};

/// Everything that a configuration can say about collections.
pub(crate) const CONFIG: &str = r#"
[server]
max_body = "4KiB"
trusted_proxies = ["127.0.0.0/8"]
cors_origins = ["https://app.example.org"]

[[collection]]
name = "address"
show_id = false

[collection.fields]
city   = { type = "string", required = true }
number = { type = "integer" }

[[collection]]
name = "things"
unique = [["code"], ["name", "size"]]
unique_verbs = ["GET", "PUT", "PATCH", "DELETE"]

[collection.fields]
name    = { type = "string", required = true }
size    = { type = "integer", required = true }
weight  = { type = "float", required = true }
fragile = { type = "boolean", required = true }
note    = { type = "string" }
code    = { type = "integer" }
height  = { type = "float" }
sold    = { type = "boolean" }
address = { type = "integer", references = "address", on_delete = "restrict" }
spare   = { type = "integer", references = "address", on_delete = "set_null" }

[collection.pagination]
page_size  = 7
offset_key = "first-id"
count_key  = "Limit"

[[collection]]
name = "users"

[collection.fields]
first_name = { type = "string", required = true }
address    = { type = "integer", references = "address", on_delete = "cascade" }

[collection.pagination]
page_size = 20

[collection.access]
authentication = true
authorization = true
"#;

/// The configuration, understood.
pub(crate) fn config() -> Config {
    let origin = Origin::File("fuzz.toml".into());
    Config::parse(CONFIG, origin, &Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Its collections.
pub(crate) fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(|| config().catalog)
}
