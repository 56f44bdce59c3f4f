//! Limits requests with unknown access keys: so many from one address in a minute, and no more.
//!
//! Only who presented an unknown key is counted and refused here. A known one never comes this far, so it is served
//! whatever else its address does, and waits for no lock.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::error::ApiError;
use crate::observe::{Event, Observer};

/// How long a window is, from the first unknown key on.
const WINDOW: Duration = Duration::from_secs(60);
/// Locks, so that addresses seldom wait for each other.
const PARTS: usize = 16;
/// The most addresses in one part, 100,000 in all: about 4 MiB.
const MOST: usize = 6_250;

pub(super) struct UnknownKeyLimiter {
    /// None: nobody is refused.
    limit: Option<u32>,
    parts: [Mutex<HashMap<Source, Window>>; PARTS],
    hasher: RandomState,
}

/// Where somebody calls from: an address, or of IPv6 the network that one household has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    V4([u8; 4]),
    V6([u8; 8]),
}

#[derive(Debug, Clone, Copy)]
struct Window {
    ends: Instant,
    count: u32,
}

impl Source {
    fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.octets()),
            IpAddr::V6(address) => {
                let [a, b, c, d, e, f, g, h, ..] = address.octets();
                Self::V6([a, b, c, d, e, f, g, h])
            }
        }
    }
}

impl UnknownKeyLimiter {
    /// With a limit of 0 nobody is refused.
    pub(super) fn new(limit: u32) -> Self {
        let limit = (limit > 0).then_some(limit);
        Self { limit, parts: Default::default(), hasher: RandomState::new() }
    }

    /// Counts an unknown key from this address, and refuses it where it is one too many. What is refused is reported
    /// once for each window.
    pub(super) fn count(&self, address: IpAddr, observer: &Observer) -> Result<(), ApiError> {
        observer.unknown_key();
        let Some(limit) = self.limit else { return Ok(()) };
        let (count, left) = self.count_at(address, Instant::now());
        if count <= limit {
            return Ok(());
        }
        if count == limit + 1 {
            observer.report(Event::UnknownKeysRefused { client: address, limit });
        }
        // Rounded up: who waits so long finds a new window.
        let retry_after_seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        Err(ApiError::TooManyUnknownKeys { retry_after_seconds })
    }

    /// How many there are in the window now, and how long it lasts.
    fn count_at(&self, address: IpAddr, now: Instant) -> (u32, Duration) {
        let source = Source::of(address);
        let part = self.hasher.hash_one(source) as usize % PARTS;
        let mut part = self.parts[part].lock();
        if part.len() >= MOST && !part.contains_key(&source) {
            part.retain(|_, window| window.ends > now);
            // Who has so many addresses is not held up by any of this; memory is.
            if part.len() > MOST / 4 * 3 {
                part.clear();
            }
        }
        let fresh = Window { ends: now + WINDOW, count: 0 };
        let window = part.entry(source).or_insert(fresh);
        if window.ends <= now {
            *window = fresh;
        }
        window.count = window.count.saturating_add(1);
        (window.count, window.ends.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_counted_for_a_minute_and_ipv6_by_its_network() {
        let (unknown_keys, start) = (UnknownKeyLimiter::new(1), Instant::now());
        let count = |address: &str, seconds| {
            unknown_keys.count_at(address.parse().unwrap(), start + Duration::from_secs(seconds)).0
        };
        assert_eq!([count("192.0.2.1", 0), count("192.0.2.1", 59), count("192.0.2.1", 60)], [1, 2, 1]);
        assert_eq!([count("192.0.2.2", 0), count("::ffff:192.0.2.2", 0)], [1, 2]);
        assert_eq!([count("2001:db8::1", 0), count("2001:db8:0:0:ffff::2", 0)], [1, 2]);
        assert_eq!(count("2001:db8:0:1::1", 0), 1);
    }

    #[test]
    fn memory_is_bounded_whoever_calls() {
        let (unknown_keys, start) = (UnknownKeyLimiter::new(1), Instant::now());
        for number in 0..300_000u32 {
            unknown_keys.count_at(IpAddr::V4(number.into()), start);
        }
        let kept: usize = unknown_keys.parts.iter().map(|part| part.lock().len()).sum();
        assert!(kept <= PARTS * MOST, "{kept}");
        let bytes = size_of::<(Source, Window)>() + 1;
        let room: usize = unknown_keys.parts.iter().map(|part| part.lock().capacity() * 8 / 7 * bytes).sum();
        assert!(room <= 16 << 20, "{room} bytes");
    }
}
