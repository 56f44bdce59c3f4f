//! Which engine stores the records: the one place that makes a `--database` URL.

use std::path::{Path, PathBuf};

/// An engine that the whole suite can run on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Engine {
    Sqlite,
}

impl Engine {
    /// The engine that this run of the suite is about.
    pub(crate) fn chosen() -> Engine {
        Engine::Sqlite
    }

    /// The `--database` value for a store of its own inside `folder`.
    pub(crate) fn url(self, folder: &Path) -> String {
        match self {
            Engine::Sqlite => format!("sqlite:{}", self.file(folder).display()),
        }
    }

    /// The file that holds the store.
    pub(crate) fn file(self, folder: &Path) -> PathBuf {
        match self {
            Engine::Sqlite => folder.join("book.db"),
        }
    }
}
