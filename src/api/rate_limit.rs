//! The rate limit: a fixed window for each access key and collection, from its first request.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::error::ApiError;
use crate::catalog::collection::{Collection, RateLimit};
use crate::http::{HeaderMap, HeaderName, HeaderValue};
use crate::record::access_key::KeyHash;

const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// The windows that are open. Only known keys get one; those that have run out are swept away as the
/// table grows, so it holds no more than the keys in use.
#[derive(Default)]
pub(super) struct RateLimits {
    windows: Mutex<Windows>,
}

#[derive(Default)]
struct Windows {
    open: HashMap<(usize, KeyHash), Window>,
    sweep_at: usize,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    ends: Instant,
    used: u64,
}

/// The smallest table that is worth sweeping.
const SWEEP_FROM: usize = 1_024;

/// Where a key stands after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    limit: RateLimit,
    remaining: u64,
    seconds_left: u64,
    is_over: bool,
}

impl RateLimits {
    /// Counts a request.
    pub(super) fn count(&self, collection: &Collection, caller: KeyHash, limit: RateLimit) -> Tally {
        self.tally(collection.position(), caller, limit, 1, Instant::now())
    }

    /// Where the key stands, without counting.
    pub(super) fn peek(&self, collection: &Collection, caller: KeyHash, limit: RateLimit) -> Tally {
        self.tally(collection.position(), caller, limit, 0, Instant::now())
    }

    fn tally(
        &self,
        collection: usize,
        caller: KeyHash,
        limit: RateLimit,
        requests: u64,
        now: Instant,
    ) -> Tally {
        let interval = Duration::from_secs(limit.interval_seconds);
        let mut windows = self.windows.lock();
        if windows.open.len() >= windows.sweep_at.max(SWEEP_FROM) {
            windows.open.retain(|_, window| window.ends > now);
            windows.sweep_at = windows.open.len() * 2;
        }
        let fresh = Window { ends: now.checked_add(interval).unwrap_or(now), used: 0 };
        if requests == 0 {
            let window = windows.open.get(&(collection, caller)).filter(|window| window.ends > now);
            return Tally::new(limit, *window.unwrap_or(&fresh), now);
        }
        let window = windows.open.entry((collection, caller)).or_insert(fresh);
        if window.ends <= now {
            *window = fresh;
        }
        window.used = window.used.saturating_add(requests);
        Tally::new(limit, *window, now)
    }
}

impl Tally {
    fn new(limit: RateLimit, window: Window, now: Instant) -> Self {
        let left = window.ends.saturating_duration_since(now);
        Self {
            limit,
            remaining: limit.quota.saturating_sub(window.used),
            // Rounded up: who waits so long finds a new window.
            seconds_left: left.as_secs() + u64::from(left.subsec_nanos() > 0),
            is_over: window.used > limit.quota,
        }
    }

    /// Refuses the request that is one too many.
    pub(super) fn verdict(self) -> Result<(), ApiError> {
        if self.is_over {
            return Err(ApiError::RateLimited { limit: self.limit, retry_after_seconds: self.seconds_left });
        }
        Ok(())
    }

    /// Says on an answer where the key stands.
    pub(super) fn write(self, headers: &mut HeaderMap) {
        let policy = format!("\"key\";q={};w={}", self.limit.quota, self.limit.interval_seconds);
        let now = format!("\"key\";r={};t={}", self.remaining, self.seconds_left);
        for (name, value) in [(RATELIMIT_POLICY, policy), (RATELIMIT, now)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit { quota: 2, interval_seconds: 10 };

    #[test]
    fn exactly_the_quota_passes_until_the_window_ends() {
        let (limits, start) = (RateLimits::default(), Instant::now());
        let (one, other) = (KeyHash::of("one"), KeyHash::of("other"));
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(limits.tally(0, one, LIMIT, 1, start).verdict().is_ok());
        assert!(limits.tally(0, one, LIMIT, 1, at(9)).verdict().is_ok());
        let over = limits.tally(0, one, LIMIT, 1, at(9));
        assert!(over.is_over && over.seconds_left == 1);
        assert!(limits.tally(0, other, LIMIT, 1, at(9)).verdict().is_ok(), "another key has its own window");
        assert!(limits.tally(1, one, LIMIT, 1, at(9)).verdict().is_ok(), "so has another collection");
        assert_eq!(limits.tally(0, one, LIMIT, 0, at(10)).remaining, 2, "a look counts nothing");
        assert_eq!(limits.tally(0, one, LIMIT, 1, at(10)).remaining, 1);
    }

    #[test]
    fn windows_that_have_ended_are_swept_away() {
        let (limits, start) = (RateLimits::default(), Instant::now());
        for number in 0..10_000u64 {
            let now = start + Duration::from_secs(number * 11);
            limits.tally(0, KeyHash::of(&number.to_string()), LIMIT, 1, now);
        }
        assert!(limits.windows.lock().open.len() <= SWEEP_FROM);
    }
}
