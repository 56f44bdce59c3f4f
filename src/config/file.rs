//! The file exactly as a person wrote it, before anybody asked what it means.
//!
//! The walk looks at the shape: which keys there are, and whether each value has the right type. What a
//! value means is judged by `check.rs`, and for collections by the catalog.

use super::collections::collections;
use super::keys;
use super::problem::Problem;
use super::tree::{Reader, Table};
use crate::catalog::declaration::{Declaration, Step};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What was written; a key that was not, or not usably, is `None`.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) server: Server,
    pub(super) access_parameter: Option<Spanned<String>>,
    pub(super) unknown_keys_per_minute: Option<Spanned<i64>>,
    pub(super) log_level: Option<Spanned<String>>,
    pub(super) log_format: Option<Spanned<String>>,
    /// As many as there are in the file, in its order; broken parts have stand-ins.
    pub(super) collections: Vec<Declaration>,
    pub(super) problems: Vec<Problem>,
    /// Where the stand-ins are.
    pub(super) spoiled: Vec<Vec<Step>>,
}

/// The table `[server]`.
#[derive(Debug, Default)]
pub(super) struct Server {
    pub(super) listen: Option<Spanned<String>>,
    pub(super) database: Option<Spanned<String>>,
    pub(super) base_url: Option<Spanned<String>>,
    pub(super) tls_cert: Option<Spanned<String>>,
    pub(super) tls_key: Option<Spanned<String>>,
    pub(super) hsts: Option<Spanned<i64>>,
    pub(super) max_body: Option<Spanned<String>>,
    pub(super) memory: Option<Spanned<String>>,
    pub(super) drain: Option<Spanned<i64>>,
    pub(super) metrics: Option<bool>,
    pub(super) console: Option<bool>,
    pub(super) trusted_proxies: Option<Vec<Spanned<String>>>,
    pub(super) cors_origins: Option<Vec<Spanned<String>>>,
    pub(super) max_bodies: Option<Spanned<String>>,
    pub(super) max_answers: Option<Spanned<String>>,
    pub(super) max_stored_answers: Option<Spanned<String>>,
    pub(super) max_requests: Option<Spanned<i64>>,
    pub(super) max_connections: Option<Spanned<i64>>,
    pub(super) header_timeout: Option<Spanned<i64>>,
    pub(super) idle_timeout: Option<Spanned<i64>>,
    pub(super) body_timeout: Option<Spanned<i64>>,
    pub(super) server_timing: Option<bool>,
    pub(super) any_filesystem: Option<bool>,
}

/// Walks the tree of a file.
pub(super) fn read<'t>(text: &'t str, tree: &'t DeTable<'t>) -> Written {
    let mut reader = Reader { text, problems: Vec::new(), spoiled: Vec::new() };
    let file = Table { path: Vec::new(), keys: keys::FILE, entries: tree, span: 0..0 };
    reader.refuse_unknown_keys(&file);
    let mut written = Written::default();
    if let Some(table) = reader.table(&file, "server", keys::SERVER) {
        written.server = server(&mut reader, &table);
    }
    if let Some(table) = reader.table(&file, "access", keys::ACCESS) {
        written.access_parameter = reader.string(&table, "parameter");
        written.unknown_keys_per_minute = reader.integer(&table, "unknown_keys_per_minute");
    }
    if let Some(table) = reader.table(&file, "log", keys::LOG) {
        written.log_level = reader.string(&table, "level");
        written.log_format = reader.string(&table, "format");
    }
    written.collections = collections(&mut reader, &file);
    written.problems = reader.problems;
    written.spoiled = reader.spoiled;
    written
}

fn server<'t>(reader: &mut Reader<'t>, table: &Table<'t>) -> Server {
    Server {
        listen: reader.string(table, "listen"),
        database: reader.string(table, "database"),
        base_url: reader.string(table, "base_url"),
        tls_cert: reader.string(table, "tls_cert"),
        tls_key: reader.string(table, "tls_key"),
        hsts: reader.integer(table, "hsts"),
        max_body: size(reader, table, "max_body"),
        memory: size(reader, table, "memory"),
        drain: reader.integer(table, "drain"),
        metrics: reader.boolean(table, "metrics"),
        console: reader.boolean(table, "console"),
        trusted_proxies: reader.strings(table, "trusted_proxies"),
        cors_origins: reader.strings(table, "cors_origins"),
        max_bodies: size(reader, table, "max_bodies"),
        max_answers: size(reader, table, "max_answers"),
        max_stored_answers: size(reader, table, "max_stored_answers"),
        max_requests: reader.integer(table, "max_requests"),
        max_connections: reader.integer(table, "max_connections"),
        header_timeout: reader.integer(table, "header_timeout"),
        idle_timeout: reader.integer(table, "idle_timeout"),
        body_timeout: reader.integer(table, "body_timeout"),
        server_timing: reader.boolean(table, "server_timing"),
        any_filesystem: reader.boolean(table, "any_filesystem"),
    }
}

/// A size is a number of bytes, or a text with a unit.
fn size<'t>(reader: &mut Reader<'t>, table: &Table<'t>, name: &str) -> Option<Spanned<String>> {
    let value = table.entries.get(name)?;
    match value.get_ref() {
        DeValue::Integer(_) => {
            let bytes = reader.integer(table, name)?;
            Some(Spanned::new(bytes.span(), bytes.get_ref().to_string()))
        }
        DeValue::String(text) => Some(Spanned::new(value.span(), text.to_string())),
        _ => reader.wrong_type(table, name, value, "a size such as \"1MiB\""),
    }
}
