//! The table `[server]`: each key with what it takes, and where its value goes.
//!
//! Defaults are those of the parts that are told: `http/limits.rs`, `api/settings.rs`, `store/settings.rs`.

use super::effective::Lines;
use super::tree::{Reader, Table, put};
use super::{Config, base_url, listen, origin, proxies, size, storage, tls};
use std::ops::RangeInclusive;
use std::time::Duration;

/// A day: the longest wait that anybody can mean.
const LONGEST_WAIT: i64 = 86_400;
const MOST: i64 = 1_000_000;

/// One key, and what is written for it.
pub(super) struct Key {
    name: &'static str,
    takes: Takes,
}

/// What a key takes, with the place of its value.
enum Takes {
    /// A number of bytes, or a text with a unit.
    Size(fn(&mut Config) -> &mut usize),
    /// A size, or 0.
    SizeOrNone(fn(&mut Config) -> &mut usize),
    Count(fn(&mut Config) -> &mut usize),
    Seconds(RangeInclusive<i64>, fn(&mut Config) -> &mut Duration),
    Switch(fn(&mut Config) -> &mut bool),
    /// What is read, or written, in a way of its own.
    Other(Read, Write),
}

/// Reads what is written in the table, or given instead.
type Read = for<'t> fn(&mut Reader<'t>, &Table<'t>, &mut Config);
/// Writes the lines of the key.
type Write = fn(&Config, &mut Lines);

const fn key(name: &'static str, takes: Takes) -> Key {
    Key { name, takes }
}

/// Every key, in the order in which they are documented and written.
const KEYS: [Key; 25] = [
    key("listen", Takes::Other(listen::read, listen::write)),
    key("database", Takes::Other(storage::read, storage::write)),
    key("base_url", Takes::Other(base_url::read, base_url::write)),
    key("tls_cert", Takes::Other(tls::read, tls::write)),
    // Read and written with `tls_cert`.
    key("tls_key", Takes::Other(|_, _, _| {}, |_, _| {})),
    key("hsts", Takes::Other(tls::read_hsts, tls::write_hsts)),
    key("max_body", Takes::Size(|config| &mut config.http.max_body)),
    key("memory", Takes::Size(|config| &mut config.store.memory)),
    key("drain", Takes::Seconds(0..=LONGEST_WAIT, |config| &mut config.http.drain)),
    key("metrics", Takes::Switch(|config| &mut config.api.shows_metrics)),
    key("console", Takes::Switch(|config| &mut config.api.has_console)),
    key("trusted_proxies", Takes::Other(proxies::read, proxies::write)),
    key("cors_origins", Takes::Other(origin::read, origin::write)),
    key("max_bodies", Takes::Size(|config| &mut config.http.max_bodies)),
    key("max_answers", Takes::Size(|config| &mut config.http.max_answers)),
    key("max_import", Takes::SizeOrNone(|config| &mut config.api.max_import)),
    key("max_stored_answers", Takes::Size(|config| &mut config.store.stored_answers)),
    key("max_requests", Takes::Count(|config| &mut config.http.max_requests)),
    key("max_connections", Takes::Count(|config| &mut config.http.max_connections)),
    key("header_timeout", Takes::Seconds(1..=LONGEST_WAIT, |config| &mut config.http.header_timeout)),
    key("idle_timeout", Takes::Seconds(1..=LONGEST_WAIT, |config| &mut config.http.idle_timeout)),
    key("body_timeout", Takes::Seconds(1..=LONGEST_WAIT, |config| &mut config.http.body_timeout)),
    key("export_timeout", Takes::Seconds(1..=LONGEST_WAIT, |config| &mut config.api.export_timeout)),
    key("server_timing", Takes::Switch(|config| &mut config.api.shows_server_timing)),
    key("any_filesystem", Takes::Switch(|config| &mut config.store.any_filesystem)),
];

/// The names of the keys.
pub(super) const NAMES: [&str; KEYS.len()] = {
    let mut names = [""; KEYS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = KEYS[place].name;
        place += 1;
    }
    names
};

/// Reads the table into the configuration; what is not written, or not usably, stays as it is.
pub(super) fn read<'t>(reader: &mut Reader<'t>, table: &Table<'t>, config: &mut Config) {
    for Key { name, takes } in &KEYS {
        match takes {
            Takes::Size(place) => put(reader.size(table, name, 1), place(config)),
            Takes::SizeOrNone(place) => put(reader.size(table, name, 0), place(config)),
            Takes::Count(place) => {
                let count = reader.number(table, name, 1..=MOST);
                put(count.and_then(|count| usize::try_from(count).ok()), place(config));
            }
            Takes::Seconds(legal, place) => {
                let seconds = reader.number(table, name, legal.clone());
                put(seconds.map(|seconds| Duration::from_secs(seconds.unsigned_abs())), place(config));
            }
            Takes::Switch(place) => put(reader.boolean(table, name), place(config)),
            Takes::Other(read, _) => read(reader, table, config),
        }
    }
}

/// Every key with its value, as it is written.
pub(super) fn write(config: &Config, lines: &mut Lines) {
    // The places are those of a configuration that may be changed.
    let mut config = config.clone();
    for Key { name, takes } in &KEYS {
        let value = match takes {
            Takes::Size(place) | Takes::SizeOrNone(place) => size::write(*place(&mut config)),
            Takes::Count(place) => place(&mut config).to_string(),
            Takes::Seconds(_, place) => place(&mut config).as_secs().to_string(),
            Takes::Switch(place) => place(&mut config).to_string(),
            Takes::Other(_, write) => {
                write(&config, lines);
                continue;
            }
        };
        lines.push((name, value));
    }
}
