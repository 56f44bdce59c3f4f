//! Fuzz targets: bytes from anywhere into what reads text from outside, and properties that must hold for all of them.
//!
//! A target panics where a property is violated. `src/bin/fuzz.rs` searches for such bytes, guided by coverage;
//! `src/bin/replay.rs` only runs those that are kept in `corpus/`.

mod catalog;
mod planted;
mod sql;
mod targets;

pub use planted::is_planted;

/// A target: what it is called, and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 12] = [
    ("query", targets::query::run),
    ("body", targets::body::run),
    ("batch", targets::batch::run),
    ("config", targets::config::run),
    ("url", targets::url::run),
    ("key", targets::key::run),
    ("etag", targets::etag::run),
    ("fold", targets::fold::run),
    ("head", targets::head::run),
    ("csv", targets::csv::run),
    ("vcard", targets::vcard::run),
    ("router", targets::router::run),
];

/// The target of this name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|(known, _)| *known == name)
}
