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
    /// A file is copied page by page.
    CopyingPages {
        name: String,
        pages: u64,
    },
    /// So many records, pages, entries or bytes more.
    Moved(u64),
    /// A collection goes into a file; nobody has counted it.
    Exporting {
        name: String,
    },
    Indexing {
        name: String,
    },
    Comparing {
        name: String,
        records: u64,
    },
    /// A collection is looked at, with so many records.
    Reading {
        name: String,
        records: u64,
    },
    Compared(Copied),
    /// A file goes to a server.
    Sending {
        bytes: u64,
    },
    /// So many entries of a file are read for a collection.
    Judging {
        name: String,
    },
    /// So many entries of a file are stored in a collection.
    Importing {
        name: String,
        entries: u64,
    },
    /// What was begun last is over.
    Done,
    Committing,
}

/// Who watches; nobody has to.
pub type Watch = mpsc::UnboundedSender<Progress>;

pub(in crate::store) fn tell(watch: &Watch, progress: Progress) {
    // Nobody need be watching.
    let _ = watch.send(progress);
}
