//! How far a copy is: a line that moves on a terminal, else a line for each collection that is done.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::super::terminal;
use crate::store::copy::Progress;

/// How many characters the bar itself has.
const WIDTH: u64 = 24;

pub(super) struct Bar {
    is_terminal: bool,
    /// What is done to which collection.
    deed: String,
    /// What is counted.
    unit: &'static str,
    done: u64,
    total: u64,
    since: Instant,
    is_painted: bool,
}

impl Bar {
    pub(super) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self {
            is_terminal,
            deed: String::new(),
            unit: "records",
            done: 0,
            total: 0,
            since: Instant::now(),
            is_painted: false,
        }
    }

    pub(super) fn follow(&mut self, event: Progress) {
        match event {
            Progress::Left(note) => {
                self.clear();
                terminal::remark(&format!("carnet: {note}, nor copied"));
            }
            Progress::Copying { name, records } => self.begin(format!("copying {name}"), records),
            Progress::CopyingPages { name, pages } => {
                self.begin(format!("copying {name}"), pages);
                self.unit = "pages";
            }
            Progress::Reading { name, records } => self.begin(format!("reading {name}"), records),
            Progress::Exporting { name } => self.begin(format!("exporting {name}"), 0),
            Progress::Moved(records) => self.done += records,
            Progress::Indexing { name } => {
                self.end();
                self.begin(format!("indexing {name}"), 0);
            }
            Progress::Comparing { name, records } => self.begin(format!("comparing {name}"), records),
            Progress::Sending { bytes } => {
                self.begin("sending the file".to_owned(), bytes);
                self.unit = "bytes";
            }
            Progress::Judging { name } => {
                self.begin(format!("judging {name}"), 0);
                self.unit = "entries";
            }
            Progress::Importing { name, entries } => {
                self.begin(format!("importing {name}"), entries);
                self.unit = "entries";
            }
            Progress::Compared(_) | Progress::Done => self.end(),
            Progress::Committing => self.begin("committing".to_owned(), 0),
        }
    }

    fn begin(&mut self, deed: String, total: u64) {
        (self.deed, self.done, self.total, self.since) = (deed, 0, total, Instant::now());
        self.unit = "records";
    }

    /// Where nobody watches, what was done is said once.
    fn end(&mut self) {
        if !self.is_terminal {
            terminal::remark(&format!("{}: {} {}, {}", self.deed, self.done, self.unit, self.rate()));
        }
    }

    /// In how many seconds the rest is done, if it goes on like this.
    fn left(&self) -> Option<u128> {
        let rest = u128::from(self.total.saturating_sub(self.done));
        rest.checked_div(rate(self.done, self.since.elapsed()))
    }

    fn rate(&self) -> String {
        format!("{} a second", rate(self.done, self.since.elapsed()))
    }

    pub(super) fn paint(&mut self) {
        if !self.is_terminal || self.deed.is_empty() {
            return;
        }
        let line = match self.total {
            0 if self.done == 0 => self.deed.clone(),
            0 => format!("{}: {} {}, {}", self.deed, self.done, self.unit, self.rate()),
            total => {
                // The number was counted before; on a server that others write to it is the same moment's.
                let full = (self.done.min(total) * WIDTH / total) as usize;
                let rest = WIDTH as usize - full;
                let bar = format!("[{}{}]", "=".repeat(full), " ".repeat(rest));
                let left = self.left().map(|seconds| format!(", {seconds} s left")).unwrap_or_default();
                format!("{} {bar} {} of {total}, {}{left}", self.deed, self.done, self.rate())
            }
        };
        self.put(&format!("\r\x1b[K{line}"));
        self.is_painted = true;
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_painted) {
            self.put("\r\x1b[K");
        }
    }

    fn put(&self, text: &str) {
        let mut err = io::stderr().lock();
        // Where standard error is closed there is nobody left to tell.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

/// So many in a second.
pub(super) fn rate(records: u64, taken: Duration) -> u128 {
    u128::from(records) * 1_000_000 / taken.as_micros().max(1)
}
