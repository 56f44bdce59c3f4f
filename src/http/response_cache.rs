//! A response cache: answers as they were given, kept until anything changes. Who sends the same head of a request again
//! gets the same bytes, and nothing of it is read, judged or looked up once more.
//!
//! An answer is kept the second time it is asked for at one version of what answers show. To keep each would cost more
//! than it gains where much is written, or where everybody asks for something else.

use std::hash::{Hash, Hasher};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::caller::Caller;
use crate::observe::Route;

/// No longer head of a request is looked for: most of its cost is another.
const LONGEST_HEAD: usize = 4 * 1024;
/// What an answer takes besides its bytes: itself, and its place in the cache.
const OVERHEAD: usize = 256;
/// A guess at how long an answer is, for the first size of the tables.
const USUAL: usize = 4 * 1024;
/// For each so many bytes of the limit a head is remembered for having come once. Two that share a place drive each
/// other out, so there are many more places than answers: with a fourth of them, one of seven records was never kept of
/// 10,000 that were fetched in turn.
const BYTES_OF_A_MARK: usize = 32;

pub(super) struct ResponseCache {
    /// Random, of this start: nobody can make two heads meet. Without them nothing is kept.
    keys: Option<(u64, u64)>,
    kept: Cache<u128, Arc<CachedResponse>, Bytewise>,
    asked: Box<[AtomicU32]>,
}

/// What a head is found by: all of its bytes, and who sent it where what it says is believed. It takes the place of the
/// head, which may hold an access key.
pub(super) type Digest = u128;

/// An answer as it was given.
pub(super) struct CachedResponse {
    /// What it shows.
    pub(super) version: u64,
    /// All before the fields that are another for each request.
    pub(super) head: Box<[u8]>,
    /// All behind them, the body with it.
    pub(super) rest: Box<[u8]>,
    pub(super) body_length: usize,
    pub(super) route: Route,
    /// As a log line may show it.
    pub(super) path: Box<str>,
    pub(super) caller: Option<Arc<dyn Caller>>,
    /// Whom a proxy that is believed has named.
    pub(super) client: Option<IpAddr>,
}

/// What is known of a head that has come.
pub(super) enum Lookup {
    Hit(Arc<CachedResponse>),
    /// It has come before at this version: the answer to it is worth keeping.
    Again(Asked),
    First,
}

/// What an answer is kept by, if it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    digest: Digest,
    /// As it was before anybody looked at the request.
    pub(super) version: u64,
}

#[derive(Clone)]
struct Bytewise;

impl Weighter<Digest, Arc<CachedResponse>> for Bytewise {
    fn weight(&self, _: &Digest, response: &Arc<CachedResponse>) -> u64 {
        (response.bytes() + response.path.len() + OVERHEAD) as u64
    }
}

impl ResponseCache {
    pub(super) fn new(limit_bytes: usize) -> Self {
        let keys = getrandom::u64().and_then(|one| Ok((one, getrandom::u64()?)));
        let marks = (limit_bytes / BYTES_OF_A_MARK).max(1);
        Self {
            keys: keys.ok(),
            kept: Cache::with_weighter((limit_bytes / USUAL).max(16), limit_bytes as u64, Bytewise),
            asked: (0..marks).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Looks for the answer to these bytes, where they may be one whole head, and remembers that they came.
    pub(super) fn look_up(&self, bytes: &[u8], believed: Option<IpAddr>, version: u64) -> Lookup {
        let Some(digest) = self.digest(bytes, believed) else { return Lookup::First };
        if let Some(response) = self.kept.get(&digest).filter(|response| response.version == version) {
            return Lookup::Hit(response);
        }
        let mark = digest as u32 ^ version as u32;
        let asked = &self.asked[(digest >> 64) as usize % self.asked.len()];
        if asked.load(Relaxed) == mark {
            return Lookup::Again(Asked { digest, version });
        }
        asked.store(mark, Relaxed);
        Lookup::First
    }

    fn digest(&self, bytes: &[u8], believed: Option<IpAddr>) -> Option<Digest> {
        let (one, other) = self.keys?;
        let mut hasher = SipHasher13::new_with_keys(one, other);
        // First: no head begins like this.
        if let Some(peer) = believed {
            peer.hash(&mut hasher);
        }
        hasher.write(bytes);
        Some(hasher.finish128().as_u128())
    }

    pub(super) fn keep(&self, asked: Asked, response: CachedResponse) {
        self.kept.insert(asked.digest, Arc::new(response));
    }
}

/// Whether these bytes may be a head whose answer is kept, seen without reading it.
pub(super) fn may_be_kept(bytes: &[u8]) -> bool {
    bytes.len() <= LONGEST_HEAD && bytes.starts_with(b"GET ") && bytes.ends_with(b"\r\n\r\n")
}

impl CachedResponse {
    pub(super) fn bytes(&self) -> usize {
        self.head.len() + self.rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_the_limit() {
        let cache = ResponseCache::new(1 << 20);
        for number in 0..10_000_u32 {
            let look_up = || cache.look_up(number.to_string().as_bytes(), None, 7);
            assert!(matches!(look_up(), Lookup::First));
            let Lookup::Again(asked) = look_up() else { panic!("{number}") };
            let response = CachedResponse {
                version: 7,
                head: [b'x'; 500].into(),
                rest: [b'x'; 500].into(),
                body_length: 400,
                route: Route::default(),
                path: "/".into(),
                caller: None,
                client: None,
            };
            cache.keep(asked, response);
            assert!(matches!(look_up(), Lookup::Hit(_)));
        }
        assert!((1 << 19..=1 << 20).contains(&cache.kept.weight()), "{}", cache.kept.weight());
    }

    #[test]
    fn what_a_proxy_says_is_told_from_what_others_say() {
        let cache = ResponseCache::new(1 << 20);
        let peers = [None, Some(IpAddr::from([10, 0, 0, 1])), Some(IpAddr::from([10, 0, 0, 2]))];
        let digests: std::collections::HashSet<_> = peers.map(|peer| cache.digest(b"GET", peer)).into();
        assert_eq!(digests.len(), peers.len());
    }
}
