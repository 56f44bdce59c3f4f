//! The stored access keys: the set that a server looks callers up in, and the ring that commands change.

use std::collections::HashMap;

use super::OpenError;
use super::sqlite::keys::KeyTable;
use super::url::StorageUrl;
use crate::record::access_key::{AccessKey, KeyEntry, KeyHash};

/// The known access keys at one moment: hash to name.
#[derive(Debug, Default)]
pub struct KeySet(HashMap<KeyHash, String>);

impl KeySet {
    pub(super) fn new(keys: impl Iterator<Item = (KeyHash, String)>) -> Self {
        Self(keys.collect())
    }

    /// Whether somebody was given the key with this hash.
    pub fn knows(&self, hash: &KeyHash) -> bool {
        self.0.contains_key(hash)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Why a key could not be made or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyRingError {
    #[error("there is already an access key named {0}; choose another name, or revoke that one first")]
    NameInUse(String),
    #[error("this access key is already stored under the name {0}")]
    KeyInUse(String),
    #[error("the stored keys cannot be read or written: {0}")]
    Broken(String),
}

/// The stored access keys, for the `keys` commands: works beside a running server.
pub enum KeyRing {
    Sqlite(KeyTable),
}

impl KeyRing {
    /// Opens the stored keys, and makes the store where there is none.
    pub fn open(url: &StorageUrl) -> Result<Self, OpenError> {
        match url {
            StorageUrl::Sqlite(path) => KeyTable::open(path).map(Self::Sqlite),
        }
    }

    /// Stores a key. Without a name it gets the first free of `key-1`, `key-2`, …
    pub fn create(&mut self, name: Option<&str>, access_key: &AccessKey) -> Result<String, KeyRingError> {
        match self {
            Self::Sqlite(table) => table.create(name, access_key),
        }
    }

    /// The stored keys in the order of their names.
    pub fn list(&self) -> Result<Vec<KeyEntry>, KeyRingError> {
        match self {
            Self::Sqlite(table) => table.list(),
        }
    }

    /// Forgets the key of this name; says whether there was one.
    pub fn revoke(&mut self, name: &str) -> Result<bool, KeyRingError> {
        match self {
            Self::Sqlite(table) => table.revoke(name),
        }
    }
}
