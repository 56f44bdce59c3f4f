//! The name of a request: the client's where it gave a good one, else our own.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hyper::header::HeaderValue;

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

/// Makes ids: a random number of this start, and a count.
pub(super) struct RequestIds {
    start: u32,
    count: AtomicU64,
}

impl RequestIds {
    pub(super) fn new() -> Self {
        RequestIds {
            // Not a secret: without a random source the ids of two starts may look alike.
            start: getrandom::u32().unwrap_or_default(),
            count: AtomicU64::new(1),
        }
    }

    pub(super) fn next(&self) -> RequestId {
        let mut id = RequestId { text: [0; MAX_LENGTH], length: 0 };
        let count = self.count.fetch_add(1, Relaxed);
        id.push_hex(self.start.into(), 8);
        id.push(b'-');
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
        let ids = RequestIds { start: 0xabc, count: AtomicU64::new(0xffff) };
        assert_eq!(ids.next().as_str(), "00000abc-ffff");
        assert_eq!(ids.next().as_str(), "00000abc-10000");
        ids.count.store(u64::MAX, Relaxed);
        let last = ids.next();
        assert_eq!(last.as_str(), "00000abc-ffffffffffffffff");
        assert!(RequestId::parse(last.as_bytes()).is_some());
        assert_eq!(ids.next().as_str(), "00000abc-0000");
    }
}
