//! Safe retries: what a write was told is kept beside what it did, and told again to whoever sends it again.
//!
//! The answer is stored in the transaction of its write, so there is never one without the other.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::WriteReply;
use super::stored_answer::StoredAnswer;
use crate::record::RecordId;
use crate::store::StoreError;

/// What makes a write one that may be sent again: who means which request by which key.
#[derive(Debug, Clone, Copy)]
pub struct IdempotencyToken {
    pub(in crate::store) identity: [u8; 32],
    pub(in crate::store) fingerprint: [u8; 32],
    /// Whether the answer shows the record, which is then kept with it.
    pub(in crate::store) shows_record: bool,
}

impl IdempotencyToken {
    /// `identity` is the caller and their key: two tokens with the same are of one request, or the second is wrong.
    /// `fingerprint` is all of the request that its answer may depend on.
    pub fn new(identity: &[&[u8]], fingerprint: &[&[u8]], shows_record: bool) -> Self {
        Self { identity: digest(identity), fingerprint: digest(fingerprint), shows_record }
    }

    /// What a stored answer means to the holder: it is told again, unless it was given to another request. `named` is the
    /// record that the request names.
    pub(in crate::store) fn replay(
        &self,
        fingerprint: &[u8],
        answer: StoredAnswer<'_>,
        named: Option<RecordId>,
    ) -> WriteReply {
        if fingerprint != self.fingerprint {
            return WriteReply::first(Err(StoreError::IdempotencyKeyReused));
        }
        let verdict = answer.verdict;
        answer.read(named).unwrap_or_else(|| {
            let cause = format!("a stored answer says {verdict:?}, which is none of ours");
            WriteReply::first(Err(StoreError::Broken(cause)))
        })
    }
}

/// The digest of several parts; where one ends and the next begins is part of it.
fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// The writes with tokens that this node has in hand.
#[derive(Default)]
pub(super) struct InFlight(Mutex<HashSet<[u8; 32]>>);

impl InFlight {
    /// Lets a write in, unless one of the same identity is not done yet.
    pub(super) fn enter(self: &Arc<Self>, token: IdempotencyToken) -> Result<InFlightGuard, StoreError> {
        match self.0.lock().insert(token.identity) {
            true => Ok(InFlightGuard { token, among: self.clone() }),
            false => Err(StoreError::InFlight),
        }
    }
}

/// Goes along with a write in flight until it is answered, or nobody will ever answer it.
pub(super) struct InFlightGuard {
    pub(super) token: IdempotencyToken,
    among: Arc<InFlight>,
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.among.0.lock().remove(&self.token.identity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_part_ends_is_part_of_the_digest() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_ne!(digest(&[b"a"]), digest(&[b"a", b""]));
        assert_eq!(digest(&[b"a", b"b"]), digest(&[b"a", b"b"]));
    }

    #[test]
    fn an_identity_is_under_way_once_and_free_again_afterwards() {
        let in_flight = Arc::new(InFlight::default());
        let token = |key: &[u8]| IdempotencyToken::new(&[key], &[], false);
        let first = in_flight.enter(token(b"one"));
        assert!(first.is_ok());
        assert_eq!(in_flight.enter(token(b"one")).err(), Some(StoreError::InFlight));
        assert!(in_flight.enter(token(b"other")).is_ok());
        drop(first);
        assert!(in_flight.enter(token(b"one")).is_ok());
    }
}
