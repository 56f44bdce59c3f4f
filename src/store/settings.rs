//! What a store can be told, beyond where it is: how it is opened, and when it is backed up.

use std::path::PathBuf;
use std::time::Duration;

use crate::record::moment;

#[derive(Debug, Clone, Copy)]
pub struct OpenSettings {
    /// Whether to open a database on a network file system all the same.
    pub any_filesystem: bool,
    /// How much may be kept in memory, in bytes: sets of ids and records together.
    pub memory: usize,
    /// How much stored answers may take in the database, in bytes.
    pub stored_answers: usize,
    /// Whether the orders are made that searches and sorted lists are answered by. Who only writes needs none.
    pub keeps_orders: bool,
}

impl Default for OpenSettings {
    fn default() -> Self {
        Self { any_filesystem: false, memory: 256 << 20, stored_answers: 2 << 30, keeps_orders: true }
    }
}

/// Where backups are made, how often, and how many are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub folder: PathBuf,
    pub every: Duration,
    pub keep: usize,
}

impl Schedule {
    pub const DEFAULT_EVERY: Duration = Duration::from_hours(24);
    pub const DEFAULT_KEEP: usize = 14;

    /// How often backups are made, as a person writes it: `24h`, `7d`.
    pub fn parse_every(text: &str) -> Option<Duration> {
        moment::span(text).ok().filter(|every| !every.is_zero())
    }

    /// In the largest unit up to hours that it is a whole number of.
    pub fn every_text(&self) -> String {
        match self.every.as_secs() {
            seconds if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
            seconds if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
            seconds => format!("{seconds}s"),
        }
    }
}
