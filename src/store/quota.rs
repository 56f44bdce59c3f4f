//! How many requests an access key has made in the window that is open for it, counted in memory: one node alone.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::catalog::collection::{Collection, RateLimit};
use crate::record::access_key::KeyHash;

/// So many requests to a collection, to be counted; none is a look.
#[derive(Debug, Clone, Copy)]
pub struct QuotaRequest<'a> {
    pub collection: &'a Collection,
    pub limit: RateLimit,
    pub requests: u64,
}

/// Whether a quota has room for so many requests behind so many. It always has for a look.
pub(super) fn has_room(limit: RateLimit, used: u64, requests: u64) -> bool {
    requests == 0 || used.saturating_add(requests) <= limit.quota
}

/// Where a key stands within its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Requests so far, these among them if they were counted.
    pub used: u64,
    /// Until the window ends.
    pub left: Duration,
    /// Whether the quota has room for them.
    pub fits: bool,
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
}

#[derive(Debug, Clone, Copy)]
struct Window {
    ends: Instant,
    used: u64,
}

/// The smallest table that is worth sweeping.
const SWEEP_FROM: usize = 1_024;

impl Windows {
    /// Counts all requests of a key if all fit, and none otherwise. A window begins with its first request.
    pub(super) fn count(&self, caller: KeyHash, asked: &[QuotaRequest<'_>]) -> Vec<Usage> {
        let asked = asked.iter().map(|asked| (asked.collection.position(), asked.limit, asked.requests));
        self.count_at(caller, &asked.collect::<Vec<_>>(), Instant::now())
    }

    fn count_at(&self, caller: KeyHash, asked: &[(usize, RateLimit, u64)], now: Instant) -> Vec<Usage> {
        let mut table = self.table.lock();
        if table.open.len() >= table.sweep_at.max(SWEEP_FROM) {
            table.open.retain(|_, window| window.ends > now);
            table.sweep_at = table.open.len() * 2;
        }
        let windows = asked.iter().map(|(collection, limit, _)| {
            let interval = Duration::from_secs(limit.interval_seconds);
            let open = table.open.get(&(*collection, caller)).filter(|window| window.ends > now);
            open.copied().unwrap_or(Window { ends: now.checked_add(interval).unwrap_or(now), used: 0 })
        });
        let mut windows: Vec<_> = windows.collect();
        let each = windows.iter().zip(asked);
        let fit = each.map(|(window, (_, limit, requests))| has_room(*limit, window.used, *requests));
        let fit: Vec<_> = fit.collect();
        if fit.iter().all(|fits| *fits) {
            let counted = windows.iter_mut().zip(asked).filter(|(_, (.., requests))| *requests > 0);
            for (window, (collection, _, requests)) in counted {
                window.used += requests;
                table.open.insert((*collection, caller), *window);
            }
        }
        let usage =
            |(Window { ends, used }, fits)| Usage { used, left: ends.saturating_duration_since(now), fits };
        windows.into_iter().zip(fit).map(usage).collect()
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
            windows.count_at(key, &[(collection, LIMIT, requests)], now)[0].used
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
        let count = |requests: [u64; 2]| {
            let asked = [0, 1].map(|collection| (collection, LIMIT, requests[collection]));
            let usages = windows.count_at(key, &asked, now);
            [0, 1].map(|place| (usages[place].used, usages[place].fits))
        };
        assert_eq!(count([4, 1]), [(0, false), (0, true)]);
        assert_eq!(count([2, 1]), [(2, true), (1, true)]);
        assert_eq!(count([2, 2]), [(2, false), (1, true)]);
        assert_eq!(count([0, 2]), [(2, true), (3, true)]);
        assert_eq!(count([1, 1]), [(2, true), (3, false)]);
        assert_eq!(count([1, 0]), [(3, true), (3, true)]);
    }

    #[test]
    fn windows_that_have_ended_are_swept_away() {
        let (windows, start) = (Windows::default(), Instant::now());
        for number in 0..10_000u64 {
            let now = start + Duration::from_secs(number * 11);
            windows.count_at(KeyHash::of(&number.to_string()), &[(0, LIMIT, 1)], now);
        }
        assert!(windows.table.lock().open.len() <= SWEEP_FROM);
    }
}
