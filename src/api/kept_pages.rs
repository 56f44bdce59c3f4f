//! A response cache: pages of lists as they were answered, kept until anything is written. Who asks for one again gets the
//! same bytes, and nothing is looked up or put together.
//!
//! A page is kept the second time it is asked for at one version of the data. To keep each would cost more than it
//! gains where much is written, or where everybody asks for something else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::http::query::Pair;
use crate::http::{Bytes, Content, HeaderValue, Response, StatusCode, header, response};

/// No longer page is kept: what it costs is to send it.
const LONGEST_PAGE: usize = 16 * 1024;
/// Nor is one that was asked for in more bytes.
const LONGEST_KEY: usize = 1024;
/// What a page takes besides its bytes: itself, and its place in the cache.
const OVERHEAD: usize = 256;
/// A guess at how long a page is, for the first size of the tables.
const USUAL_PAGE: usize = 4 * 1024;
/// For each so many bytes of the limit a page is remembered for having been asked for once. Two that share a place drive
/// each other out, so there are many more places than pages.
const BYTES_OF_A_MARK: usize = 128;
/// Ends each part of a question, and stands in no UTF-8.
const BETWEEN: u8 = 0xff;

pub(super) struct KeptPages {
    /// By the hashes of their keys.
    kept: Cache<u64, Arc<KeptPage>, Bytewise>,
    asked: Box<[AtomicU32]>,
}

/// A page as it was answered.
pub(super) struct KeptPage {
    key: Box<[u8]>,
    /// The version of the data that it shows.
    version: u64,
    body: Bytes,
    link: Option<HeaderValue>,
}

/// What is known of a page that is asked for.
pub(super) enum Asked {
    /// It is kept.
    Kept(Arc<KeptPage>),
    /// It was asked for before at this version: what is answered is worth keeping.
    Again,
    First,
}

#[derive(Clone)]
struct Bytewise;

impl Weighter<u64, Arc<KeptPage>> for Bytewise {
    fn weight(&self, _: &u64, page: &Arc<KeptPage>) -> u64 {
        let link = page.link.as_ref().map_or(0, HeaderValue::len);
        (page.key.len() + page.body.len() + link + OVERHEAD) as u64
    }
}

/// All that a page depends on besides the data. Its key is written only where it is kept.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    /// The beginning of its URLs, in parts, and the collection.
    pub(super) place: [&'a str; 3],
    /// Without the access key.
    pub(super) query: &'a [Pair<'a>],
}

impl<'a> Question<'a> {
    fn parts(self) -> impl Iterator<Item = &'a [u8]> {
        let pairs = self.query.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
        self.place.map(str::as_bytes).into_iter().chain(pairs)
    }

    /// A cheap hash, good in its upper bits: it is computed for every list. Who makes two questions meet gets no more
    /// than a page that is not kept.
    fn hash(self) -> u64 {
        let mut hash = 0_u64;
        let mut mix = |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        for part in self.parts() {
            let (words, rest) = part.as_chunks();
            words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
            mix(rest.iter().fold(BETWEEN.into(), |word, byte| word << 8 | u64::from(*byte)));
        }
        hash
    }

    fn key(self) -> Vec<u8> {
        let mut key = Vec::new();
        for part in self.parts() {
            key.extend_from_slice(part);
            key.push(BETWEEN);
        }
        key
    }

    fn has_key(self, key: &[u8]) -> bool {
        let mut rest = Some(key);
        for part in self.parts() {
            rest = rest.and_then(|rest| rest.strip_prefix(part)?.strip_prefix(&[BETWEEN]));
        }
        rest.is_some_and(<[u8]>::is_empty)
    }
}

impl KeptPages {
    pub(super) fn new(limit_bytes: usize) -> Self {
        let expected = (limit_bytes / USUAL_PAGE).max(16);
        let marks = (limit_bytes / BYTES_OF_A_MARK).max(1);
        Self {
            kept: Cache::with_weighter(expected, limit_bytes as u64, Bytewise),
            asked: (0..marks).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Looks for a page, and remembers that it was asked for.
    pub(super) fn ask(&self, question: Question<'_>, version: u64) -> Asked {
        let hash = question.hash();
        let mark = (hash >> 8) as u32 ^ version as u32;
        let asked = &self.asked[(hash >> 32) as usize % self.asked.len()];
        if asked.load(Relaxed) != mark {
            asked.store(mark, Relaxed);
            return Asked::First;
        }
        match self.kept.get(&hash) {
            Some(page) if page.version == version && question.has_key(&page.key) => Asked::Kept(page),
            _ => Asked::Again,
        }
    }

    /// Keeps a page as it is answered, unless it is long.
    pub(super) fn keep(
        &self,
        question: Question<'_>,
        version: u64,
        content: &Content,
        link: Option<&HeaderValue>,
    ) {
        let Some(body) = content.copied(LONGEST_PAGE) else { return };
        let key = question.key();
        // In memory of its own, as long as it is.
        let link = link.and_then(|link| HeaderValue::from_bytes(link.as_bytes()).ok());
        if key.len() <= LONGEST_KEY {
            self.kept.insert(question.hash(), Arc::new(KeptPage { key: key.into(), version, body, link }));
        }
    }
}

impl KeptPage {
    pub(super) fn response(&self) -> Response {
        linked(response::json(StatusCode::OK, self.body.clone()), self.link.clone())
    }
}

/// A page with its neighbours.
pub(super) fn linked(mut response: Response, link: Option<HeaderValue>) -> Response {
    if let Some(link) = link {
        response.headers_mut().insert(header::LINK, link);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks for a page, and keeps what is answered where it is worth that. Whether it was kept before.
    fn is_kept(pages: &KeptPages, collection: &str, version: u64, bytes: usize) -> bool {
        let question = Question { place: ["http", "a", collection], query: &[("b".into(), "c".into())] };
        match pages.ask(question, version) {
            Asked::Kept(page) => {
                assert_eq!((page.version, page.body.len()), (version, bytes));
                true
            }
            Asked::Again => {
                pages.keep(question, version, &vec![b'x'; bytes].into(), None);
                false
            }
            Asked::First => false,
        }
    }

    #[test]
    fn a_key_says_where_its_parts_end() {
        let pairs = |name: &'static str, value: &'static str| [(name.into(), value.into())];
        let (one, other) = (pairs("ab", "c"), pairs("a", "bc"));
        let of = |query| Question { place: ["http", "a", "users"], query };
        assert!(of(&one).has_key(&of(&one).key()));
        for question in [of(&other), of(&[]), Question { place: ["http", "b", "users"], ..of(&one) }] {
            assert!(!of(&one).has_key(&question.key()) && !question.has_key(&of(&one).key()));
        }
    }

    #[test]
    fn a_page_is_kept_the_second_time_until_something_is_written() {
        let pages = KeptPages::new(1 << 20);
        for version in [7, 8, 7] {
            assert_eq!([(); 4].map(|()| is_kept(&pages, "a", version, 10)), [false, false, true, true]);
        }
        assert!(!is_kept(&pages, "b", 7, 10));
    }

    #[test]
    fn what_is_long_is_not_kept() {
        let pages = KeptPages::new(1 << 20);
        let long = "a".repeat(LONGEST_KEY + 1);
        for (key, bytes) in [("a", LONGEST_PAGE + 1), (&long, 1)] {
            assert_eq!([(); 4].map(|()| is_kept(&pages, key, 7, bytes)), [false; 4]);
        }
    }

    #[test]
    fn no_more_is_kept_than_the_limit() {
        let pages = KeptPages::new(1 << 20);
        for number in 0..10_000_u32 {
            (0..2).for_each(|_| _ = is_kept(&pages, &number.to_string(), 7, 1_000));
        }
        assert!((1 << 19..=1 << 20).contains(&pages.kept.weight()), "{}", pages.kept.weight());
    }
}
