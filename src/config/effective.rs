//! The configuration in force, written as TOML: every default spelled out, and read back as the same.

use super::{Config, TlsFiles, log, size};
use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::catalog::field::Field;
use crate::store::url::StorageUrl;
use std::path::Path;

/// The whole configuration, in the order and form of the documentation.
pub(super) fn write(config: &Config) -> String {
    let mut file = String::new();
    server(&mut file, config);
    let parameter = quoted(&config.access_parameter);
    let unknown = config.unknown_keys_per_minute.to_string();
    table(&mut file, "[access]", &[("parameter", parameter), ("unknown_keys_per_minute", unknown)]);
    let level = quoted(config.log.level.name());
    let format = quoted(log::format_name(config.log.format));
    table(&mut file, "[log]", &[("level", level), ("format", format)]);
    for declared in config.catalog.collections() {
        collection(&mut file, &config.catalog, declared);
    }
    file
}

fn server(file: &mut String, config: &Config) {
    let http = &config.http;
    let proxies: Vec<String> = http.trusted_proxies.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        ("listen", quoted(&config.listen.to_string())),
        ("database", quoted(&config.storage.to_string())),
        ("max_body", size::write(http.max_body)),
        ("memory", size::write(config.memory)),
        ("drain", http.drain.as_secs().to_string()),
        ("metrics", config.shows_metrics.to_string()),
        ("console", config.has_console.to_string()),
        ("trusted_proxies", list(proxies.iter().map(String::as_str))),
        ("cors_origins", list(config.cors_origins.iter().map(String::as_str))),
        ("max_bodies", size::write(http.max_bodies)),
        ("max_answers", size::write(http.max_answers)),
        ("max_stored_answers", size::write(config.max_stored_answers)),
        ("max_requests", http.max_requests.to_string()),
        ("max_connections", http.max_connections.to_string()),
        ("header_timeout", http.header_timeout.as_secs().to_string()),
        ("idle_timeout", http.idle_timeout.as_secs().to_string()),
        ("body_timeout", http.body_timeout.as_secs().to_string()),
        ("server_timing", config.shows_server_timing.to_string()),
        ("any_filesystem", config.any_filesystem.to_string()),
    ];
    match &config.tls {
        Some(TlsFiles { certificate, key }) => {
            let written = |file: &Path| quoted(&file.to_string_lossy());
            lines.insert(2, ("tls_cert", written(certificate)));
            lines.insert(3, ("tls_key", written(key)));
            lines.insert(4, ("hsts", config.hsts.to_string()));
        }
        None => lines.insert(2, (COMMENT, "tls_cert and tls_key are not set: plain HTTP".to_owned())),
    }
    match &config.base_url {
        Some(base_url) => lines.insert(2, ("base_url", quoted(base_url))),
        // A key whose default cannot be written as a value.
        None => {
            lines.insert(2, (COMMENT, "base_url is not set: the scheme and host of the request".to_owned()))
        }
    }
    if let StorageUrl::Postgres(_) = config.storage {
        lines.insert(2, (COMMENT, "a password is not written here: PGPASSWORD or ~/.pgpass".to_owned()));
    }
    table(file, "[server]", &lines);
}

fn collection(file: &mut String, catalog: &Catalog, collection: &Collection) {
    let fields = collection.fields();
    let unique = collection.unique().iter().map(|rule| list(rule.iter().map(|&place| fields[place].name())));
    let head = [
        ("name", quoted(collection.name())),
        ("show_id", collection.shows_id().to_string()),
        ("unique", format!("[{}]", unique.collect::<Vec<_>>().join(", "))),
        ("list_verbs", verbs(collection.list_verbs())),
        ("unique_verbs", verbs(collection.unique_verbs())),
    ];
    table(file, "[[collection]]", &head);
    let declared: Vec<(&str, String)> = fields.iter().map(|one| (one.name(), field(catalog, one))).collect();
    table(file, "[collection.fields]", &declared);
    if let Some(pages) = collection.pagination() {
        let lines = [
            ("page_size", pages.page_size.to_string()),
            ("offset_key", quoted(&pages.offset_key)),
            ("count_key", quoted(&pages.count_key)),
        ];
        table(file, "[collection.pagination]", &lines);
    }
    let (authentication, authorization) = match collection.admission() {
        Admission::Open => (false, false),
        Admission::Identified => (true, false),
        Admission::KnownOnly => (true, true),
    };
    let lines =
        [("authentication", authentication.to_string()), ("authorization", authorization.to_string())];
    table(file, "[collection.access]", &lines);
    if let Some(limit) = collection.rate_limit() {
        let lines = [("quota", limit.quota.to_string()), ("interval", limit.interval_seconds.to_string())];
        table(file, "[collection.rate_limit]", &lines);
    }
}

fn field(catalog: &Catalog, field: &Field) -> String {
    let mut text = format!("{{ type = {}, required = {}", quoted(field.kind().name()), field.is_required());
    if let Some(reference) = field.reference() {
        let target = quoted(catalog.at(reference.target).name());
        let rule = quoted(reference.on_delete.name());
        text.push_str(&format!(", references = {target}, on_delete = {rule}"));
    }
    text.push_str(" }");
    text
}

fn verbs(verbs: &[Verb]) -> String {
    list(verbs.iter().map(|verb| verb.name()))
}

/// Stands for the key of a line that is a comment.
const COMMENT: &str = "#";

/// A heading and its lines, the values below each other.
fn table(file: &mut String, heading: &str, lines: &[(&str, String)]) {
    if !file.is_empty() {
        file.push('\n');
    }
    file.push_str(heading);
    file.push('\n');
    let width = lines.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    for (key, value) in lines {
        let line = match *key {
            COMMENT => format!("# {value}\n"),
            key => format!("{key:width$} = {value}\n"),
        };
        file.push_str(&line);
    }
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = texts.map(quoted).collect();
    format!("[{}]", quoted.join(", "))
}

/// A text as a basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
