//! A change of the stored access keys: what it does, and what is refused. Both engines hand in what they found in the
//! transaction of the change, and do what comes back.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::json;

use super::row::KeyRow;
use crate::record::access_key::{AccessKey, KeyHash, KeyName};
use crate::record::moment::Moment;
use crate::record::scope::Scopes;
use crate::store::StoreError;
use crate::store::audit::Deed;

/// Why keys could not be read, made, rotated or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyAdminError {
    #[error("there is no access key named {0}; `carnet keys list` shows those there are")]
    Unknown(String),
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

/// What is to be done with the stored keys.
#[derive(Debug, Clone)]
pub enum KeyChange {
    Create(NewKey),
    Rotate(Rotation),
    /// Forgets the key of this name.
    Revoke(String),
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

/// A new secret for a key that is stored.
#[derive(Debug, Clone)]
pub struct Rotation {
    pub name: String,
    pub access_key: AccessKey,
    /// How long the secret that there is stays good beside it.
    pub grace: Duration,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// What the key is called.
    pub name: String,
    /// After a rotation, until when the secret before is good as well; none where it is good no more.
    pub previous_until: Option<Moment>,
}

/// What a change does to the table.
#[derive(Debug)]
pub(in crate::store) enum Edit {
    Insert(KeyRow),
    /// Replaces the secrets of the key of the same name.
    Update(KeyRow),
    Delete(String),
}

impl KeyChange {
    /// The name that it is about. Without one, it needs to know all keys that are called `key-` and a number.
    pub(in crate::store) fn name(&self) -> Option<&str> {
        match self {
            Self::Create(key) => key.name.as_ref().map(KeyName::as_str),
            Self::Rotate(rotation) => Some(&rotation.name),
            Self::Revoke(name) => Some(name),
        }
    }

    /// The hash of the secret that it stores.
    pub(in crate::store) fn hash(&self) -> Option<KeyHash> {
        match self {
            Self::Create(NewKey { access_key, .. }) | Self::Rotate(Rotation { access_key, .. }) => {
                Some(access_key.hash())
            }
            Self::Revoke(_) => None,
        }
    }

    /// What to do to the table and to put into the trail, given all keys that have its name or its secret.
    pub(in crate::store) fn apply(&self, found: &[KeyRow]) -> Result<(Edit, Deed, Changed), KeyAdminError> {
        match self {
            Self::Create(key) => {
                self.refuse_known_secret(found)?;
                let row = key.row(self.new_name(found)?);
                let details = json!({
                    "scopes": key.scopes.texts(),
                    "expires": row.expires,
                    "admin": key.is_admin,
                });
                let changed = Changed { name: row.name.clone(), previous_until: None };
                Ok((Edit::Insert(row), Deed::new("key_created", &changed.name, &details), changed))
            }
            Self::Rotate(rotation) => {
                let row = named(found, &rotation.name)?;
                self.refuse_known_secret(found)?;
                let (row, previous_until) = rotation.row(row.clone())?;
                let details = json!({ "previous_until": row.previous_until });
                let changed = Changed { name: row.name.clone(), previous_until };
                Ok((Edit::Update(row), Deed::new("key_rotated", &changed.name, &details), changed))
            }
            Self::Revoke(name) => {
                let changed = Changed { name: named(found, name)?.name.clone(), previous_until: None };
                Ok((Edit::Delete(name.clone()), Deed::new("key_revoked", name, &json!({})), changed))
            }
        }
    }

    fn new_name(&self, found: &[KeyRow]) -> Result<String, KeyAdminError> {
        let taken: HashSet<&str> = found.iter().map(|row| row.name.as_str()).collect();
        match self.name() {
            Some(name) if taken.contains(name) => Err(KeyAdminError::NameInUse(name.to_owned())),
            Some(name) => Ok(name.to_owned()),
            None => {
                let mut number = 1u64;
                while taken.contains(format!("key-{number}").as_str()) {
                    number += 1;
                }
                Ok(format!("key-{number}"))
            }
        }
    }

    /// A secret is one key's alone, be it the present one, the one before, or the first, by which the key is known for
    /// good.
    fn refuse_known_secret(&self, found: &[KeyRow]) -> Result<(), KeyAdminError> {
        let Some(hash) = self.hash() else { return Ok(()) };
        let is_it = |stored: &Vec<u8>| stored == hash.as_bytes();
        let has_it = |row: &&KeyRow| {
            is_it(&row.hash)
                || row.previous_hash.as_ref().is_some_and(is_it)
                || row.first_hash.as_ref().is_some_and(is_it)
        };
        match found.iter().find(has_it) {
            Some(holder) => Err(KeyAdminError::KeyInUse(holder.name.clone())),
            None => Ok(()),
        }
    }
}

fn named<'a>(found: &'a [KeyRow], name: &str) -> Result<&'a KeyRow, KeyAdminError> {
    let named = found.iter().find(|row| row.name == name);
    named.ok_or_else(|| KeyAdminError::Unknown(name.to_owned()))
}

impl NewKey {
    /// As it is stored under this name.
    fn row(&self, name: String) -> KeyRow {
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

impl Rotation {
    /// The key as it is stored after the rotation, and until when the secret before is good. The secret that is
    /// replaced becomes the one before; what was before it is forgotten.
    fn row(&self, row: KeyRow) -> Result<(KeyRow, Option<Moment>), KeyAdminError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn create(name: Option<&str>, secret: &str) -> KeyChange {
        KeyChange::Create(NewKey {
            name: name.map(|name| KeyName::parse(name).unwrap()),
            access_key: AccessKey::parse(secret).unwrap(),
            is_admin: false,
            scopes: Scopes::everything(),
            expires: None,
        })
    }

    fn rotate(name: &str, secret: &str, grace: u64) -> KeyChange {
        let (access_key, grace) = (AccessKey::parse(secret).unwrap(), Duration::from_secs(grace));
        KeyChange::Rotate(Rotation { name: name.into(), access_key, grace })
    }

    /// The stored key after this.
    fn stored(change: &KeyChange, found: &[KeyRow]) -> KeyRow {
        match change.apply(found).unwrap().0 {
            Edit::Insert(row) | Edit::Update(row) => row,
            Edit::Delete(name) => panic!("{name} is gone"),
        }
    }

    fn refusal(change: &KeyChange, found: &[KeyRow]) -> String {
        change.apply(found).unwrap_err().to_string()
    }

    #[test]
    fn a_key_without_a_name_gets_the_first_free_number() {
        let name = |found: &[KeyRow]| create(None, "new").apply(found).unwrap().2.name;
        let key = |name: &str| stored(&create(Some(name), name), &[]);
        assert_eq!(name(&[]), "key-1");
        assert_eq!(name(&[key("key-1"), key("key-3"), key("KEY-2")]), "key-2");
        assert_eq!(name(&[key("key-1"), key("key-2")]), "key-3");
    }

    #[test]
    fn a_name_and_each_secret_are_one_keys_alone() {
        let first = stored(&create(Some("ann"), "one"), &[]);
        assert!(
            refusal(&create(Some("ann"), "two"), std::slice::from_ref(&first))
                .starts_with("there is already")
        );
        let second = stored(&rotate("ann", "two", 60), &[first]);
        let third = stored(&rotate("ann", "three", 60), &[second]);
        for known in ["one", "two", "three"] {
            let found = std::slice::from_ref(&third);
            let expected = "this access key is already stored under the name ann";
            assert_eq!(refusal(&create(Some("bob"), known), found), expected);
            assert_eq!(refusal(&rotate("ann", known, 60), found), expected);
        }
    }

    #[test]
    fn a_rotation_without_grace_leaves_one_secret() {
        let first = stored(&create(Some("ann"), "one"), &[]);
        let rotated = stored(&rotate("ann", "two", 0), std::slice::from_ref(&first));
        assert_eq!((rotated.previous_hash, rotated.first_hash), (None, Some(first.hash)));
    }

    #[test]
    fn only_a_key_that_is_there_and_not_over_is_changed() {
        assert!(refusal(&rotate("ann", "one", 0), &[]).starts_with("there is no access key named ann"));
        assert!(
            refusal(&KeyChange::Revoke("ann".into()), &[]).starts_with("there is no access key named ann")
        );
        let first = stored(&create(Some("ann"), "one"), &[]);
        let over = KeyRow { expires: Some("1970-01-01T00:01:40Z".into()), ..first };
        assert!(refusal(&rotate("ann", "two", 0), std::slice::from_ref(&over)).contains("has expired"));
        assert!(matches!(KeyChange::Revoke("ann".into()).apply(&[over]), Ok((Edit::Delete(_), ..))));
    }
}
