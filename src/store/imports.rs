//! Imports over HTTP as every node knows them: the rows of `_carnet_imports`.

use std::time::Duration;

/// How long a report is kept, and how long it is known that a file was imported.
pub(super) const KEPT: Duration = Duration::from_hours(7 * 24);

/// An import that nobody has told of for so long has been stopped: its node is gone. Whoever runs one tells of it more
/// often.
pub(super) const SILENCE: Duration = Duration::from_secs(15);

/// A new import: into which collection, whose, and what is to be said of it so far.
#[derive(Debug, Clone)]
pub struct NewImport {
    pub collection: String,
    /// What identifies the key of whoever makes it; none where they are not known.
    pub maker: Option<Vec<u8>>,
    /// JSON.
    pub report: String,
}

/// A file whose ids were taken for those of a collection: the same file again means the same records.
#[derive(Debug, Clone)]
pub struct ImportedFile {
    pub collection: String,
    /// SHA-256.
    pub hash: [u8; 32],
}

/// What is known of a file whose ids may be those of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    Unknown,
    /// An import of it was begun, and is under way or was stopped.
    Begun,
    /// An import of it came to its end.
    Over,
}

impl FileState {
    /// By what the row says, where there is one.
    pub(super) fn of(is_over: Option<bool>) -> Self {
        match is_over {
            None => Self::Unknown,
            Some(false) => Self::Begun,
            Some(true) => Self::Over,
        }
    }
}

/// What became of a new import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// It has this number.
    Begun(i64),
    /// Another into the same collection is under way.
    UnderWay(i64),
}

/// An import that was begun.
#[derive(Debug, Clone)]
pub struct ImportRow {
    pub maker: Option<Vec<u8>>,
    /// JSON.
    pub report: String,
    /// Whether its node went away in the middle of it, unless whoever asks runs it.
    pub is_abandoned: bool,
}
