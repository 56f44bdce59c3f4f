//! What a copy tells whoever watches it.

use tokio::sync::mpsc;

/// What was copied of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    pub name: String,
    pub records: u64,
    /// XXH3 of all ids and values, in ascending order of ids; the same wherever the records are.
    pub digest: u128,
}

/// What goes on, for whoever watches.
#[derive(Debug)]
pub enum Progress {
    /// Something that is stored and will not be copied, in words.
    Left(String),
    /// A collection is next, with so many records.
    Copying {
        name: String,
        records: u64,
    },
    Moved(u64),
    Indexing {
        name: String,
    },
    Comparing {
        name: String,
        records: u64,
    },
    Compared(Copied),
    Committing,
}

/// Who watches; nobody has to.
pub type Watch = mpsc::UnboundedSender<Progress>;

pub(super) fn tell(watch: &Watch, progress: Progress) {
    // Nobody need be watching.
    let _ = watch.send(progress);
}
