//! How to open a store, beyond where it is.

#[derive(Debug, Clone, Copy)]
pub struct OpenSettings {
    /// Whether to open a database on a network file system all the same.
    pub any_filesystem: bool,
    /// How much may be kept in memory, in bytes: sets of ids and records together.
    pub memory: usize,
    /// How much stored answers may take in the database, in bytes.
    pub stored_answers: usize,
}

impl Default for OpenSettings {
    fn default() -> Self {
        Self { any_filesystem: false, memory: 256 << 20, stored_answers: 2 << 30 }
    }
}
