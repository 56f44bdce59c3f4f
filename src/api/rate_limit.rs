//! The rate limit: a fixed window for each access key and collection, from its first request.

use super::error::ApiError;
use crate::catalog::collection::{Collection, RateLimit};
use crate::http::{HeaderMap, HeaderName, HeaderValue};
use crate::record::access_key::KeyHash;
use crate::store::Store;
use crate::store::quota::{QuotaRequest, Usage};

const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Where a key stands after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    limit: RateLimit,
    remaining: u64,
    seconds_left: u64,
    is_over: bool,
}

impl Tally {
    pub(super) fn new(limit: RateLimit, usage: Usage) -> Self {
        Self {
            limit,
            remaining: limit.quota.saturating_sub(usage.used),
            // Rounded up: who waits so long finds a new window.
            seconds_left: usage.left.as_secs() + u64::from(usage.left.subsec_nanos() > 0),
            is_over: !usage.fits,
        }
    }

    /// Refuses requests that are too many.
    pub(super) fn verdict(self) -> Result<(), ApiError> {
        if self.is_over { Err(self.refusal()) } else { Ok(()) }
    }

    fn refusal(self) -> ApiError {
        ApiError::RateLimited { limit: self.limit, retry_after_seconds: self.seconds_left }
    }

    /// The one that leaves fewer requests.
    pub(super) fn least(self, other: Self) -> Self {
        if other.remaining < self.remaining { other } else { self }
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

/// Counts so many requests of a key in the rate limit of each of these collections; in none of them, where one has
/// fewer left, whose place is told. `told` becomes the limit that leaves the fewest requests, or had too few left.
pub(super) async fn count_each(
    store: &Store,
    key: KeyHash,
    requests: &[(&Collection, u64)],
    told: &mut Option<Tally>,
) -> Result<(), (usize, ApiError)> {
    let (mut places, mut asked) = (Vec::new(), Vec::new());
    for (place, &(collection, requests)) in requests.iter().enumerate() {
        if let Some(limit) = collection.rate_limit() {
            places.push(place);
            asked.push(QuotaRequest { collection, limit, requests });
        }
    }
    let Some(&first) = places.first() else { return Ok(()) };
    let usages = store.use_quotas(key, &asked).await.map_err(|error| (first, error.into()))?;
    for ((place, asked), usage) in places.into_iter().zip(asked).zip(usages) {
        let tally = Tally::new(asked.limit, usage);
        tally.verdict().map_err(|refused| (place, refused)).inspect_err(|_| *told = Some(tally))?;
        *told = Some(told.map_or(tally, |other| other.least(tally)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn exactly_the_quota_passes() {
        let limit = RateLimit { quota: 2, interval_seconds: 10 };
        let usage = |used, fits| Usage { used, left: Duration::from_millis(1), fits };
        let tally = |used| Tally::new(limit, usage(used, true));
        assert!(tally(2).verdict().is_ok());
        assert_eq!(tally(1).remaining, 1);
        let over = Tally::new(limit, usage(2, false));
        assert!(over.verdict().is_err() && over.seconds_left == 1);
        assert_eq!((tally(1).least(tally(2)), tally(2).least(tally(0))), (tally(2), tally(2)));
    }
}
