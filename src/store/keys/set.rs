//! The access keys as a server knows them: who was given which secret, until when, and when it was last used.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::row::KeyRow;
use crate::record::access_key::KeyHash;
use crate::record::moment::Moment;
use crate::record::scope::Scopes;

/// How fine the last use of a key is told, in seconds: so often it is written at most.
const GRAIN: i64 = 60;

/// The known access keys at one moment.
#[derive(Debug, Default)]
pub struct KeySet {
    secrets: HashMap<KeyHash, Secret>,
    holders: HashMap<KeyHash, Arc<Holder>>,
    version: u64,
}

#[derive(Debug)]
struct Secret {
    holder: Arc<Holder>,
    /// From then on it is unknown.
    until: Option<Moment>,
}

/// Who was given an access key.
#[derive(Debug)]
pub struct Holder {
    /// What identifies the key for as long as it lives, whatever its secret is: the hash of its first one. One that
    /// is revoked and made anew under the same name is another.
    pub id: KeyHash,
    /// What the key is called.
    pub name: String,
    /// Whether it may manage access keys.
    pub is_admin: bool,
    pub scopes: Scopes,
    last_use: Arc<LastUse>,
}

/// A secret that was presented, and whom it belonged to when it was looked up.
#[derive(Debug, Clone)]
pub struct Credential {
    pub secret: KeyHash,
    pub holder: Arc<Holder>,
    /// From then on it is unknown.
    pub until: Option<Moment>,
}

/// When a key was last used, in seconds since the epoch: as it is known here, and as it is written.
#[derive(Debug, Default)]
pub(in crate::store) struct LastUse {
    known: AtomicI64,
    written: AtomicI64,
}

/// A use that is not written yet.
pub(in crate::store) struct Use {
    pub(in crate::store) name: String,
    pub(in crate::store) at: Moment,
    of: Arc<LastUse>,
}

impl Use {
    pub(in crate::store) fn is_written(&self) {
        self.of.written.store(self.at.seconds(), Relaxed);
    }
}

impl Holder {
    /// Remembers that the key was used, to be written when there is time. Nobody waits for anybody here.
    pub fn is_used(&self, now: Moment) {
        let last = &self.last_use.known;
        if now.seconds() - last.load(Relaxed) >= GRAIN {
            last.store(now.seconds(), Relaxed);
        }
    }
}

impl KeySet {
    /// The keys of these rows; what was known of their uses goes on.
    pub(in crate::store) fn new(rows: Vec<KeyRow>, before: &Self) -> Self {
        let mut set = Self { version: before.version + 1, ..Self::default() };
        for row in rows {
            set.add(row, before);
        }
        set
    }

    /// A row that another tool spoiled opens no door.
    fn add(&mut self, row: KeyRow, before: &Self) {
        let Some(hash) = KeyHash::from_bytes(&row.hash) else { return };
        let moment = |text: &Option<String>| match text.as_deref().map(Moment::parse) {
            None => Some(None),
            Some(Some(moment)) => Some(Some(moment)),
            Some(None) => None,
        };
        let Some(expires) = moment(&row.expires) else { return };
        let id = row.first_hash.as_deref().and_then(KeyHash::from_bytes).unwrap_or(hash);
        let known = before.holders.get(&id).map(|holder| holder.last_use.clone());
        let holder = Arc::new(Holder {
            id,
            name: row.name,
            is_admin: row.is_admin,
            scopes: Scopes::from_stored(&row.scopes),
            last_use: known.unwrap_or_default(),
        });
        let previous = row.previous_hash.as_deref().and_then(KeyHash::from_bytes);
        if let (Some(previous), Some(Some(until))) = (previous, moment(&row.previous_until)) {
            let until = Some(expires.map_or(until, |expires| expires.min(until)));
            self.secrets.insert(previous, Secret { holder: holder.clone(), until });
        }
        self.secrets.insert(hash, Secret { holder: holder.clone(), until: expires });
        self.holders.insert(id, holder);
    }

    /// The secret with this hash and who was given it, where it is still good.
    pub fn find(&self, secret: KeyHash, now: Moment) -> Option<Credential> {
        let Secret { holder, until } = self.secrets.get(&secret)?;
        let is_good = until.is_none_or(|until| now < until);
        is_good.then(|| Credential { secret, holder: holder.clone(), until: *until })
    }

    /// Whether a credential still is what it was when it was looked up, with the same rights.
    pub fn confirms(&self, credential: &Credential, now: Moment) -> bool {
        self.find(credential.secret, now).is_some_and(|found| {
            let (found, before) = (found.holder, &credential.holder);
            found.id == before.id && found.is_admin == before.is_admin && found.scopes == before.scopes
        })
    }

    /// How many times what is known of the keys has changed since the start.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.holders.len()
    }

    pub fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    /// What is known of uses and not written.
    pub(in crate::store) fn uses(&self) -> Vec<Use> {
        let holders = self.holders.values().filter(|holder| {
            let last = &holder.last_use;
            last.known.load(Relaxed) > last.written.load(Relaxed)
        });
        let uses = holders.map(|holder| Use {
            name: holder.name.clone(),
            at: Moment::from_seconds(holder.last_use.known.load(Relaxed)),
            of: holder.last_use.clone(),
        });
        uses.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(secret: &str) -> KeyRow {
        KeyRow { hash: KeyHash::of(secret).as_bytes().to_vec(), name: "ann".into(), ..KeyRow::default() }
    }

    fn set(row: KeyRow) -> KeySet {
        KeySet::new(vec![row], &KeySet::default())
    }

    fn knows(set: &KeySet, secret: &str, now: i64) -> bool {
        set.find(KeyHash::of(secret), Moment::from_seconds(now)).is_some()
    }

    #[test]
    fn a_key_is_unknown_from_the_second_in_which_it_ends() {
        let set = set(KeyRow { expires: Some("1970-01-01T00:01:40Z".into()), ..row("a") });
        assert!(knows(&set, "a", 99) && !knows(&set, "a", 100) && !knows(&set, "b", 99));
    }

    #[test]
    fn the_secret_before_ends_with_its_grace_and_with_the_key() {
        let both = KeyRow {
            previous_hash: Some(KeyHash::of("old").as_bytes().to_vec()),
            previous_until: Some("1970-01-01T00:01:40Z".into()),
            ..row("new")
        };
        let lasting = set(both.clone());
        assert!(knows(&lasting, "old", 99) && !knows(&lasting, "old", 100) && knows(&lasting, "new", 100));
        let ending = set(KeyRow { expires: Some("1970-01-01T00:00:50Z".into()), ..both });
        assert!(knows(&ending, "old", 49) && !knows(&ending, "old", 50) && !knows(&ending, "new", 50));
        assert_eq!(lasting.len(), 1);
    }

    #[test]
    fn a_credential_is_confirmed_while_its_secret_and_its_rights_are_the_same() {
        let known = set(row("a"));
        let credential = known.find(KeyHash::of("a"), Moment::from_seconds(0)).unwrap();
        let confirms = |set: KeySet| set.confirms(&credential, Moment::from_seconds(100));
        assert!(confirms(set(row("a"))) && !confirms(set(row("b"))) && !confirms(KeySet::default()));
        assert!(!confirms(set(KeyRow { expires: Some("1970-01-01T00:01:40Z".into()), ..row("a") })));
        assert!(!confirms(set(KeyRow { scopes: "users:read".into(), ..row("a") })));
        assert!(!confirms(set(KeyRow { is_admin: true, ..row("a") })));
    }

    #[test]
    fn what_another_tool_spoiled_opens_no_door() {
        assert!(!knows(&set(KeyRow { expires: Some("soon".into()), ..row("a") }), "a", 0));
        assert!(!knows(&set(KeyRow { hash: vec![1], ..row("a") }), "a", 0));
    }

    #[test]
    fn a_use_is_told_once_a_minute_and_outlives_a_reload() {
        let first = set(row("a"));
        let holder = first.find(KeyHash::of("a"), Moment::from_seconds(1000)).unwrap().holder;
        holder.is_used(Moment::from_seconds(1000));
        holder.is_used(Moment::from_seconds(1059));
        let uses = first.uses();
        assert_eq!((uses.len(), uses[0].at.seconds()), (1, 1000));
        let second = KeySet::new(vec![row("a")], &first);
        assert_eq!(second.uses().len(), 1);
        uses[0].is_written();
        assert!(second.uses().is_empty());
        holder.is_used(Moment::from_seconds(1060));
        assert_eq!(second.uses()[0].at.seconds(), 1060);
    }
}
