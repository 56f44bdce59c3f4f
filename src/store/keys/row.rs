//! A stored access key: all that is kept of it.

use crate::record::access_key::KeyEntry;
use crate::record::moment::Moment;
use crate::record::scope::Scopes;

/// A stored access key with all that is kept of it: read by a server, and on its way into another store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::store) struct KeyRow {
    pub(in crate::store) name: String,
    pub(in crate::store) hash: Vec<u8>,
    pub(in crate::store) prefix: String,
    pub(in crate::store) created: String,
    pub(in crate::store) is_admin: bool,
    pub(in crate::store) scopes: String,
    pub(in crate::store) expires: Option<String>,
    /// The secret before the last rotation, and until when it is good.
    pub(in crate::store) previous_hash: Option<Vec<u8>>,
    pub(in crate::store) previous_until: Option<String>,
    /// That of the first secret, once there was another.
    pub(in crate::store) first_hash: Option<Vec<u8>>,
}

/// The columns of a key, in the order of [`KeyRow`].
pub(in crate::store) const KEY_COLUMNS: &str =
    "name, hash, prefix, created, admin, scopes, expires, previous_hash, previous_until, first_hash";

impl KeyRow {
    /// Its parts, each with its length before it; what is not there is told from what is empty.
    pub(in crate::store) fn bytes(&self) -> Vec<u8> {
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
    pub(in crate::store) fn entry(self, last_used: Option<String>) -> KeyEntry {
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
