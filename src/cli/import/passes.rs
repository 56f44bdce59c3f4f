//! How far an import at a server is, told as an import here tells it.

use super::remote_report::RemoteReport;
use crate::store::copy::{Progress, Watch};
use crate::transfer::import::State;

/// Tells from reports what an import here would tell by itself.
pub(super) struct Passes<'a> {
    watch: &'a Watch,
    collection: &'a str,
    is_storing: bool,
    /// How many entries of this pass were told.
    read: u64,
}

impl<'a> Passes<'a> {
    pub(super) fn new(watch: &'a Watch, collection: &'a str) -> Self {
        Self { watch, collection, is_storing: false, read: 0 }
    }

    pub(super) fn see(&mut self, remote: &RemoteReport) {
        if remote.state == State::Storing && !self.is_storing {
            let entries = remote.entries.unwrap_or(0);
            self.move_to(entries);
            tell(self.watch, Progress::Done);
            tell(self.watch, Progress::Importing { name: self.collection.to_owned(), entries });
            (self.is_storing, self.read) = (true, 0);
        }
        self.move_to(remote.report.read);
        if matches!(remote.state, State::Done | State::Refused) {
            tell(self.watch, Progress::Done);
        }
    }

    fn move_to(&mut self, read: u64) {
        tell(self.watch, Progress::Moved(read.saturating_sub(self.read)));
        self.read = self.read.max(read);
    }
}

pub(super) fn tell(watch: &Watch, progress: Progress) {
    // Nobody need be watching.
    let _ = watch.send(progress);
}
