//! The stored access keys: the set that a server looks callers up in, and the ring that commands change.

use std::collections::HashMap;

use super::postgres::ring;
use super::sqlite::keys::KeyTable;
use super::url::StorageUrl;
use super::{OpenError, StoreError};
use crate::record::access_key::{AccessKey, KeyEntry, KeyHash, KeyName};

/// The known access keys at one moment.
#[derive(Debug, Default)]
pub struct KeySet(HashMap<KeyHash, Holder>);

/// Who was given an access key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// What the key is called.
    pub name: String,
    /// Whether it may manage access keys.
    pub is_admin: bool,
}

impl KeySet {
    pub(super) fn new(keys: impl Iterator<Item = (KeyHash, Holder)>) -> Self {
        Self(keys.collect())
    }

    /// Whether somebody was given the key with this hash.
    pub fn knows(&self, hash: &KeyHash) -> bool {
        self.0.contains_key(hash)
    }

    /// Who was given the key with this hash.
    pub fn holder(&self, hash: &KeyHash) -> Option<&Holder> {
        self.0.get(hash)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A stored access key with all that is kept of it, on its way into another store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub(super) name: String,
    pub(super) hash: Vec<u8>,
    pub(super) prefix: String,
    pub(super) created: String,
    pub(super) is_admin: bool,
}

impl KeyRow {
    /// Its parts, each with its length before it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let Self { name, hash, prefix, created, is_admin } = self;
        let is_admin = [u8::from(*is_admin)];
        let parts = [name.as_bytes(), hash, prefix.as_bytes(), created.as_bytes(), &is_admin];
        parts.iter().flat_map(|part| [&(part.len() as u64).to_be_bytes(), *part].concat()).collect()
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
    Failed(StoreError),
}

impl From<StoreError> for KeyRingError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A key that is to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewKey<'a> {
    /// Without a name it gets the first free of `key-1`, `key-2`, …
    pub name: Option<&'a KeyName>,
    pub access_key: &'a AccessKey,
    /// Whether it may manage access keys.
    pub is_admin: bool,
}

/// The stored access keys, for the `keys` commands: works beside a running server.
pub enum KeyRing {
    Sqlite(KeyTable),
    Postgres(ring::KeyTable),
}

impl KeyRing {
    /// Opens the stored keys, and makes the store where there is none.
    pub fn open(url: &StorageUrl) -> Result<Self, OpenError> {
        match url {
            StorageUrl::Sqlite(path) => KeyTable::open(path).map(Self::Sqlite),
            StorageUrl::Postgres(url) => ring::KeyTable::open(url).map(Self::Postgres),
        }
    }

    /// Stores a key, and says what it is called.
    pub fn create(&mut self, key: NewKey<'_>) -> Result<String, KeyRingError> {
        match self {
            Self::Sqlite(table) => table.create(key),
            Self::Postgres(table) => table.create(key),
        }
    }

    /// The stored keys in the order of their names.
    pub fn list(&self) -> Result<Vec<KeyEntry>, KeyRingError> {
        match self {
            Self::Sqlite(table) => table.list(),
            Self::Postgres(table) => table.list(),
        }
    }

    /// Forgets the key of this name; says whether there was one.
    pub fn revoke(&mut self, name: &str) -> Result<bool, KeyRingError> {
        match self {
            Self::Sqlite(table) => table.revoke(name),
            Self::Postgres(table) => table.revoke(name),
        }
    }
}
