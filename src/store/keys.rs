//! The stored access keys: what is kept of each, and who changes them for the commands.

mod set;

use std::time::Duration;

use super::audit::{Actor, Trail};
use super::postgres::key_table;
use super::sqlite::key_table::KeyTable;
use super::url::StorageUrl;
use super::{OpenError, StoreError};
use crate::record::access_key::{AccessKey, KeyEntry, KeyName};
use crate::record::moment::Moment;
use crate::record::scope::Scopes;
pub(super) use set::Use;
pub use set::{Holder, KeySet};

/// A stored access key with all that is kept of it: read by a server, and on its way into another store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub(super) name: String,
    pub(super) hash: Vec<u8>,
    pub(super) prefix: String,
    pub(super) created: String,
    pub(super) is_admin: bool,
    pub(super) scopes: String,
    pub(super) expires: Option<String>,
    /// The secret before the last rotation, and until when it is good.
    pub(super) previous_hash: Option<Vec<u8>>,
    pub(super) previous_until: Option<String>,
    /// That of the first secret, once there was another.
    pub(super) first_hash: Option<Vec<u8>>,
}

/// The columns of a key, in the order of [`KeyRow`].
pub(super) const KEY_COLUMNS: &str =
    "name, hash, prefix, created, admin, scopes, expires, previous_hash, previous_until, first_hash";

impl KeyRow {
    /// Its parts, each with its length before it; what is not there is told from what is empty.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let is_admin = [u8::from(self.is_admin)];
        let parts = [
            Some(self.name.as_bytes()),
            Some(&self.hash),
            Some(self.prefix.as_bytes()),
            Some(self.created.as_bytes()),
            Some(&is_admin),
            Some(self.scopes.as_bytes()),
            self.expires.as_deref().map(str::as_bytes),
            self.previous_hash.as_deref(),
            self.previous_until.as_deref().map(str::as_bytes),
            self.first_hash.as_deref(),
        ];
        let one = |part: Option<&[u8]>| match part {
            Some(part) => [&(part.len() as u64).to_be_bytes(), part].concat(),
            None => u64::MAX.to_be_bytes().to_vec(),
        };
        parts.into_iter().flat_map(one).collect()
    }

    /// As it is shown, with its last use. What is over is not shown.
    pub(super) fn entry(self, last_used: Option<String>) -> KeyEntry {
        let now = Moment::now().to_string();
        KeyEntry {
            scopes: Scopes::from_stored(&self.scopes),
            name: self.name,
            prefix: self.prefix,
            is_admin: self.is_admin,
            expires: self.expires,
            // A use of another key that had the name before.
            last_used: last_used.filter(|used| *used >= self.created),
            created: self.created,
            previous_until: self.previous_until.filter(|until| *until > now),
        }
    }
}

/// Why a key could not be made, rotated or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyAdminError {
    #[error("there is already an access key named {0}; choose another name, or revoke that one first")]
    NameInUse(String),
    #[error("this access key is already stored under the name {0}")]
    KeyInUse(String),
    #[error("the access key named {0} has expired; make a new one")]
    Expired(String),
    #[error("the stored keys cannot be read or written: {0}")]
    Failed(StoreError),
}

impl From<StoreError> for KeyAdminError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// A key that is to be stored.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Without a name it gets the first free of `key-1`, `key-2`, …
    pub name: Option<KeyName>,
    pub access_key: AccessKey,
    /// Whether it may manage access keys.
    pub is_admin: bool,
    pub scopes: Scopes,
    pub expires: Option<Moment>,
}

impl NewKey {
    /// As it is stored under this name.
    pub(super) fn row(&self, name: String) -> KeyRow {
        KeyRow {
            name,
            hash: self.access_key.hash().as_bytes().to_vec(),
            prefix: self.access_key.prefix(),
            created: Moment::now().to_string(),
            is_admin: self.is_admin,
            scopes: self.scopes.to_string(),
            expires: self.expires.map(|moment| moment.to_string()),
            ..KeyRow::default()
        }
    }
}

/// A new secret for a key that is stored.
#[derive(Debug, Clone)]
pub struct Rotation {
    pub name: String,
    pub access_key: AccessKey,
    /// How long the secret that there is stays good beside it.
    pub grace: Duration,
}

impl Rotation {
    /// The key as it is stored after the rotation. The secret that is replaced becomes the one before; what was before
    /// it is forgotten.
    pub(super) fn apply(&self, row: KeyRow) -> Result<(KeyRow, Option<Moment>), KeyAdminError> {
        let now = Moment::now();
        let is_over = |text: &String| Moment::parse(text).is_none_or(|end| end <= now);
        if row.expires.as_ref().is_some_and(is_over) {
            return Err(KeyAdminError::Expired(row.name));
        }
        let until = now.after(self.grace).filter(|until| *until > now);
        let rotated = KeyRow {
            hash: self.access_key.hash().as_bytes().to_vec(),
            prefix: self.access_key.prefix(),
            previous_hash: until.is_some().then(|| row.hash.clone()),
            previous_until: until.map(|until| until.to_string()),
            first_hash: row.first_hash.or(Some(row.hash)),
            ..row
        };
        Ok((rotated, until))
    }
}

/// What became of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotated {
    /// Until when the secret before is good as well; not at all any more where there is none.
    pub previous_until: Option<Moment>,
}

/// The stored access keys, for the `keys` commands: works beside a running server. Every change is in the trail, or is
/// not made.
pub enum KeyAdmin {
    Sqlite(KeyTable),
    Postgres(key_table::KeyTable),
}

impl KeyAdmin {
    /// Opens the stored keys to read them; `None` where there is no store. Nothing is changed or made.
    pub fn inspect(url: &StorageUrl) -> Result<Option<Self>, OpenError> {
        match url {
            StorageUrl::Sqlite(path) => Ok(KeyTable::inspect(path)?.map(Self::Sqlite)),
            StorageUrl::Postgres(url) => Ok(key_table::KeyTable::inspect(url)?.map(Self::Postgres)),
        }
    }

    /// Opens the stored keys to change them, and makes the store where there is none.
    pub fn open(url: &StorageUrl) -> Result<Self, OpenError> {
        match url {
            StorageUrl::Sqlite(path) => KeyTable::open(path).map(Self::Sqlite),
            StorageUrl::Postgres(url) => key_table::KeyTable::open(url).map(Self::Postgres),
        }
    }

    /// Stores a key, and says what it is called.
    pub fn create(&mut self, key: &NewKey, by: &Actor) -> Result<String, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.create(key, by),
            Self::Postgres(table) => table.create(key, by),
        }
    }

    /// The stored keys in the order of their names.
    pub fn list(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.list(),
            Self::Postgres(table) => table.list(),
        }
    }

    /// Gives a key a new secret; `None` where there is no such key.
    pub fn rotate(&mut self, rotation: &Rotation, by: &Actor) -> Result<Option<Rotated>, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.rotate(rotation, by),
            Self::Postgres(table) => table.rotate(rotation, by),
        }
    }

    /// Forgets the key of this name; says whether there was one.
    pub fn revoke(&mut self, name: &str, by: &Actor) -> Result<bool, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.revoke(name, by),
            Self::Postgres(table) => table.revoke(name, by),
        }
    }

    /// What was done with keys and tables, from the beginning.
    pub fn trail(&self) -> Result<Trail, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.trail(),
            Self::Postgres(table) => table.trail(),
        }
    }
}
