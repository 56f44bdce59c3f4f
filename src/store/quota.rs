//! How many requests an access key has made in the window that is open for it, counted in memory: one node alone.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::catalog::collection::RateLimit;
use crate::record::access_key::KeyHash;

/// Where a key stands within its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Requests so far, these among them if they fit.
    pub used: u64,
    /// Until the window ends.
    pub left: Duration,
    /// Whether the quota had room for them. Where it had not, none was counted.
    pub fits: bool,
    /// Which window of this key and collection it is.
    pub window: u64,
}

/// The windows that are open. Those that have run out are swept away as the table grows, so it holds no more
/// than the keys in use.
#[derive(Default)]
pub(super) struct Windows {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<(usize, KeyHash), Window>,
    sweep_at: usize,
    /// The window that was opened last.
    last: u64,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    number: u64,
    ends: Instant,
    used: u64,
}

/// The smallest table that is worth sweeping.
const SWEEP_FROM: usize = 1_024;

impl Windows {
    /// Counts so many requests of a key to a collection if they fit; none is a look. A window begins with its first
    /// request.
    pub(super) fn count(&self, collection: usize, caller: KeyHash, limit: RateLimit, requests: u64) -> Usage {
        self.count_at(collection, caller, limit, requests, Instant::now())
    }

    /// Takes back requests that were counted in a window, if it is still open.
    pub(super) fn give_back(&self, collection: usize, caller: KeyHash, window: u64, requests: u64) {
        if let Some(open) = self.table.lock().open.get_mut(&(collection, caller))
            && open.number == window
        {
            open.used = open.used.saturating_sub(requests);
        }
    }

    fn count_at(
        &self,
        collection: usize,
        caller: KeyHash,
        limit: RateLimit,
        requests: u64,
        now: Instant,
    ) -> Usage {
        let mut table = self.table.lock();
        if table.open.len() >= table.sweep_at.max(SWEEP_FROM) {
            table.open.retain(|_, window| window.ends > now);
            table.sweep_at = table.open.len() * 2;
        }
        let interval = Duration::from_secs(limit.interval_seconds);
        let open = table.open.get(&(collection, caller)).filter(|window| window.ends > now).copied();
        let mut window = open.unwrap_or(Window {
            number: table.last + 1,
            ends: now.checked_add(interval).unwrap_or(now),
            used: 0,
        });
        let used = window.used.saturating_add(requests);
        let fits = used <= limit.quota;
        if fits && requests > 0 {
            window.used = used;
            table.last = table.last.max(window.number);
            table.open.insert((collection, caller), window);
        }
        let left = window.ends.saturating_duration_since(now);
        Usage { used: window.used, left, fits, window: window.number }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit { quota: 3, interval_seconds: 10 };

    #[test]
    fn a_window_is_of_one_key_and_one_collection_and_ends() {
        let (windows, start) = (Windows::default(), Instant::now());
        let (one, other) = (KeyHash::of("one"), KeyHash::of("other"));
        let used = |collection, key, requests, seconds| {
            let now = start + Duration::from_secs(seconds);
            windows.count_at(collection, key, LIMIT, requests, now).used
        };
        assert_eq!(used(0, one, 1, 0), 1);
        assert_eq!(used(0, one, 1, 9), 2);
        assert_eq!(used(0, other, 1, 9), 1, "another key has its own window");
        assert_eq!(used(1, one, 1, 9), 1, "so has another collection");
        assert_eq!(used(0, one, 0, 9), 2, "a look counts nothing");
        assert_eq!(used(0, one, 0, 10), 0);
        assert_eq!(used(0, one, 1, 10), 1);
    }

    #[test]
    fn requests_that_do_not_fit_together_are_not_counted() {
        let (windows, now, key) = (Windows::default(), Instant::now(), KeyHash::of("one"));
        let count = |requests| {
            let usage = windows.count_at(0, key, LIMIT, requests, now);
            (usage.used, usage.fits)
        };
        assert_eq!([count(4), count(2), count(2), count(1), count(1)].map(|(used, _)| used), [0, 2, 2, 3, 3]);
        assert_eq!((count(1), count(0)), ((3, false), (3, true)));
        let of_now = windows.count_at(0, key, LIMIT, 0, now).window;
        windows.give_back(0, key, of_now, 2);
        assert_eq!((count(3), count(2)), ((1, false), (3, true)));
        let later = now + Duration::from_secs(LIMIT.interval_seconds);
        windows.count_at(0, key, LIMIT, 2, later);
        windows.give_back(0, key, of_now, 2);
        assert_eq!(windows.count_at(0, key, LIMIT, 0, later).used, 2, "it was counted in another window");
    }

    #[test]
    fn windows_that_have_ended_are_swept_away() {
        let (windows, start) = (Windows::default(), Instant::now());
        for number in 0..10_000u64 {
            let now = start + Duration::from_secs(number * 11);
            windows.count_at(0, KeyHash::of(&number.to_string()), LIMIT, 1, now);
        }
        assert!(windows.table.lock().open.len() <= SWEEP_FROM);
    }
}
