//! How many requests an access key has made in its window, counted in the database: for all nodes together.

use std::time::Duration;

use tokio_postgres::Row;

use super::group_error::of_reading;
use super::session::Session;
use crate::catalog::collection::{Collection, RateLimit};
use crate::record::access_key::KeyHash;
use crate::store::StoreError;
use crate::store::quota::Usage;

/// Counts so many requests, or none and answers no row where the quota has no room for them; a window that has ended
/// begins anew. By the clock of the database, which all nodes share.
const COUNT: &str = "INSERT INTO _carnet_quota AS q (collection, key, ends, used) \
     SELECT $1::text, $2::bytea, clock_timestamp() + $3 * interval '1 second', $4::bigint WHERE $4 <= $5::bigint \
     ON CONFLICT (collection, key) DO UPDATE SET \
       used = CASE WHEN q.ends <= clock_timestamp() THEN $4 ELSE q.used + $4 END, \
       ends = CASE WHEN q.ends <= clock_timestamp() THEN excluded.ends ELSE q.ends END \
     WHERE q.ends <= clock_timestamp() OR q.used + $4 <= $5 \
     RETURNING used, extract(epoch FROM ends - clock_timestamp())::double precision, \
       (extract(epoch FROM ends) * 1000000)::bigint";

const LOOK: &str = "SELECT used, extract(epoch FROM ends - clock_timestamp())::double precision, \
       (extract(epoch FROM ends) * 1000000)::bigint \
     FROM _carnet_quota WHERE collection = $1 AND key = $2 AND ends > clock_timestamp()";

/// A window is known by its end, to the microsecond.
const GIVE_BACK: &str = "UPDATE _carnet_quota SET used = greatest(used - $4, 0) \
     WHERE collection = $1 AND key = $2 AND (extract(epoch FROM ends) * 1000000)::bigint = $3";

impl Session {
    pub(super) async fn use_quota(
        &self,
        collection: &Collection,
        caller: KeyHash,
        limit: RateLimit,
        requests: u64,
    ) -> Result<Usage, StoreError> {
        let seconds = limit.interval_seconds as f64;
        let requests = i64::try_from(requests).unwrap_or(i64::MAX);
        let (name, key) = (collection.name(), caller.as_bytes());
        let quota = i64::try_from(limit.quota).unwrap_or(i64::MAX);
        loop {
            if requests > 0 {
                let counted = self.ask_aside(COUNT, &[&name, &key, &seconds, &requests, &quota]).await?;
                if let Some(row) = counted.first() {
                    return usage(row, true).map_err(|error| of_reading(&error));
                }
            }
            let (found, fits) = (self.ask_aside(LOOK, &[&name, &key]).await?, requests == 0);
            if let Some(row) = found.first() {
                return usage(row, fits).map_err(|error| of_reading(&error));
            }
            if fits || requests > quota {
                let left = Duration::from_secs(limit.interval_seconds);
                return Ok(Usage { used: 0, left, fits, window: 0 });
            }
            // The window that left no room has ended since: they are counted in the next.
        }
    }

    pub(super) async fn give_back_quota(
        &self,
        collection: &Collection,
        caller: KeyHash,
        window: u64,
        requests: u64,
    ) -> Result<(), StoreError> {
        let [window, requests] = [window, requests].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let (name, key) = (collection.name(), caller.as_bytes());
        self.ask_aside(GIVE_BACK, &[&name, &key, &window, &requests]).await.map(drop)
    }
}

fn usage(row: &Row, fits: bool) -> Result<Usage, tokio_postgres::Error> {
    let used: i64 = row.try_get(0)?;
    let left: f64 = row.try_get(1)?;
    let left = Duration::try_from_secs_f64(left).unwrap_or_default();
    let window: i64 = row.try_get(2)?;
    Ok(Usage { used: used.unsigned_abs(), left, fits, window: window.unsigned_abs() })
}
