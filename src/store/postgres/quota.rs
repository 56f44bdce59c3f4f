//! How many requests an access key has made in its window, counted in the database: for all nodes together.

use std::time::Duration;

use tokio_postgres::Row;

use super::group_error::of_reading;
use super::session::Session;
use crate::catalog::collection::{Collection, RateLimit};
use crate::record::access_key::KeyHash;
use crate::store::StoreError;
use crate::store::quota::Usage;

/// Counts one request; a window that has ended begins anew. By the clock of the database, which all nodes share.
const COUNT: &str = "INSERT INTO _carnet_quota AS q (collection, key, ends, used) \
     VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second', $4) \
     ON CONFLICT (collection, key) DO UPDATE SET \
       used = CASE WHEN q.ends <= clock_timestamp() THEN $4 ELSE q.used + $4 END, \
       ends = CASE WHEN q.ends <= clock_timestamp() THEN excluded.ends ELSE q.ends END \
     RETURNING used, extract(epoch FROM ends - clock_timestamp())::double precision";

const LOOK: &str = "SELECT used, extract(epoch FROM ends - clock_timestamp())::double precision \
     FROM _carnet_quota WHERE collection = $1 AND key = $2 AND ends > clock_timestamp()";

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
        let rows = if requests == 0 {
            self.ask_aside(LOOK, &[&name, &key]).await?
        } else {
            self.ask_aside(COUNT, &[&name, &key, &seconds, &requests]).await?
        };
        match rows.first() {
            Some(row) => usage(row).map_err(|error| of_reading(&error)),
            None => Ok(Usage { used: 0, left: Duration::from_secs(limit.interval_seconds) }),
        }
    }
}

fn usage(row: &Row) -> Result<Usage, tokio_postgres::Error> {
    let used: i64 = row.try_get(0)?;
    let left: f64 = row.try_get(1)?;
    Ok(Usage { used: used.unsigned_abs(), left: Duration::try_from_secs_f64(left).unwrap_or_default() })
}
