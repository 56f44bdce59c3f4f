//! Which part of a path may stand in a log line.
//!
//! Access keys belong into a header or the query, and sometimes land in the path: behind a slash, or behind a `&` where
//! a `?` was meant. A path that we serve cannot hold one, because nothing in it is free text. Of every other path only
//! the words that we know are shown whole.

use std::borrow::Cow;

use super::Settings;
use super::route::Route;
use crate::catalog::Catalog;

/// How many characters of an unknown segment are shown, and of how many: what `keys list` shows of a key.
const SHOWN: usize = 4;
const LONG: usize = 16;

/// The segments of our own paths that are no names of collections.
const WORDS: [&str; 14] = [
    "schema",
    "openapi.json",
    "livez",
    "readyz",
    "metrics",
    "_",
    "me",
    "keys",
    "rotate",
    "batch",
    "export",
    "import",
    "imports",
    "console",
];

/// The path as it was sent where it is one that we serve; otherwise with every unknown segment cut short.
pub(super) fn loggable<'a>(catalog: &Catalog, settings: &Settings, path: &'a str) -> Cow<'a, str> {
    match Route::parse(catalog, settings, path) {
        // The name of a key may be its secret, by mistake.
        None | Some(Route::Key(_) | Route::KeyRotation(_)) => {}
        Some(_) => return Cow::Borrowed(path),
    }
    let mut shown = String::new();
    for (place, segment) in path.split('/').enumerate() {
        if place > 0 {
            shown.push('/');
        }
        if segment.is_empty() || WORDS.contains(&segment) || catalog.find(segment).is_some() {
            shown.push_str(segment);
        } else {
            let is_long = segment.chars().nth(LONG - 1).is_some();
            shown.extend(segment.chars().take(if is_long { SHOWN } else { 0 }));
            shown.push('…');
        }
    }
    Cow::Owned(shown)
}
