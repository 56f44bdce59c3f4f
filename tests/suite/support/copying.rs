//! `carnet copy` between the stores of tests.

use dev::process::{Outcome, Process};

use super::home::Home;

impl Home {
    /// Starts a copy with this folder's configuration.
    pub(crate) fn start_copy(&self, from: &str, to: &str) -> Process {
        let mut command = self.command(&["copy", "--from", from, "--to", to]);
        command.arg("--config").arg(self.path("book.toml"));
        Process::start(command)
    }

    /// Copies with this folder's configuration.
    pub(crate) fn copy(&self, from: &str, to: &str) -> Outcome {
        self.start_copy(from, to).outcome()
    }

    /// Copies this folder's store into another's.
    pub(crate) fn copy_into(&self, other: &Home) -> Outcome {
        self.copy(&self.database_url(), &other.database_url())
    }

    /// A file in this folder, as the URL of a store.
    pub(crate) fn file_url(&self, name: &str) -> String {
        format!("sqlite:{}", self.path(name).display())
    }
}
