//! The name of a request: the client's where it gave a good one, else our own.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyper::header::{HeaderName, HeaderValue};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 64;

/// 1 to 64 characters of `[A-Za-z0-9._-]`, held in place.
#[derive(Clone, Copy)]
pub(super) struct RequestId {
    text: [u8; MAX_LENGTH],
    length: u8,
}

impl RequestId {
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let is_good = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_well_formed = (1..=MAX_LENGTH).contains(&text.len()) && text.iter().all(is_good);
        is_well_formed.then(|| {
            let mut id = RequestId { text: [0; MAX_LENGTH], length: text.len() as u8 };
            id.text[..text.len()].copy_from_slice(text);
            id
        })
    }

    pub(super) fn as_str(&self) -> &str {
        // Always ASCII, see `parse`.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    pub(super) fn to_header(self) -> HeaderValue {
        HeaderValue::from_bytes(self.as_bytes()).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    fn as_bytes(&self) -> &[u8] {
        &self.text[..usize::from(self.length)]
    }
}

/// How many ids a connection takes at once.
const SHARE: u64 = 32;

/// Makes ids: a random number of this start, and a count.
pub(super) struct RequestIds {
    start: RequestId,
    /// The last number that was given away, a multiple of [`SHARE`].
    given: AtomicU64,
}

/// The numbers that one connection has taken: the last that it used, and those that follow up to a multiple of
/// [`SHARE`]. A count that all connections share would be fought over by all cores.
#[derive(Default)]
pub(super) struct Share(AtomicU64);

impl RequestIds {
    pub(super) fn new() -> Self {
        // Not a secret: without a random source the ids of two starts may look alike.
        Self::starting_with(getrandom::u32().unwrap_or_default())
    }

    fn starting_with(number: u32) -> Self {
        let mut start = RequestId { text: [0; MAX_LENGTH], length: 0 };
        start.push_hex(number.into(), 8);
        start.push(b'-');
        RequestIds { start, given: AtomicU64::new(0) }
    }

    /// The next id of a connection. Only the task of the connection asks for it.
    pub(super) fn next(&self, share: &Share) -> RequestId {
        let mut last = share.0.load(Relaxed);
        if last.is_multiple_of(SHARE) {
            last = self.given.fetch_add(SHARE, Relaxed);
        }
        let count = last.wrapping_add(1);
        share.0.store(count, Relaxed);
        let mut id = self.start;
        // Four digits, and more as they are needed.
        let digits = (67 - count.leading_zeros()) / 4;
        id.push_hex(count, digits.max(4));
        id
    }
}

impl RequestId {
    fn push(&mut self, byte: u8) {
        self.text[usize::from(self.length)] = byte;
        self.length += 1;
    }

    fn push_hex(&mut self, number: u64, digits: u32) {
        for place in (0..digits).rev() {
            let digit = (number >> (4 * place) & 0xf) as usize;
            self.push(b"0123456789abcdef"[digit]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_texts_are_taken_over() {
        let longest = "x".repeat(64);
        for good in ["a", "A.b_c-9", &longest] {
            assert_eq!(RequestId::parse(good.as_bytes()).unwrap().as_str(), good);
        }
        let too_long = "x".repeat(65);
        for bad in ["", "a b", "a\n", "é", "a\"b", &too_long] {
            assert!(RequestId::parse(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    #[test]
    fn made_ids_differ_and_are_well_formed() {
        let ids = RequestIds::starting_with(0xabc);
        let (one, other) = (Share::default(), Share::default());
        assert_eq!(ids.next(&one).as_str(), "00000abc-0001");
        assert_eq!(ids.next(&other).as_str(), "00000abc-0021");
        let all: std::collections::HashSet<String> = (0..10 * SHARE)
            .flat_map(|_| [&one, &other])
            .map(|share| ids.next(share).as_str().into())
            .collect();
        assert_eq!(all.len() as u64, 20 * SHARE);

        ids.given.store(0x1_0000 - SHARE, Relaxed);
        let share = Share(AtomicU64::new(0x1_0000 - 2));
        assert_eq!(ids.next(&share).as_str(), "00000abc-ffff");
        assert_eq!(ids.next(&share).as_str(), "00000abc-10000");
        let share = Share(AtomicU64::new(u64::MAX - 1));
        let last = ids.next(&share);
        assert_eq!(last.as_str(), "00000abc-ffffffffffffffff");
        assert!(RequestId::parse(last.as_bytes()).is_some());
        assert_eq!(ids.next(&share).as_str(), "00000abc-0000");
    }
}
