//! How many requests an access key has made in its windows, counted in the database: for all nodes together.

use std::time::Duration;

use tokio_postgres::Row;

use super::group_error::of_reading;
use super::session::Session;
use crate::record::access_key::KeyHash;
use crate::store::StoreError;
use crate::store::quota::{QuotaRequest, Usage, has_room};

/// Counts requests to one collection, or none and answers no row where the quota has no room for them; a window that has
/// ended begins anew. By the clock of the database, which all nodes share.
const COUNT: &str = "INSERT INTO _carnet_quota AS q (collection, key, ends, used) \
     SELECT ($1::text[])[1], $2::bytea, clock_timestamp() + ($3::double precision[])[1] * interval '1 second', \
       ($4::bigint[])[1] WHERE ($4::bigint[])[1] <= ($5::bigint[])[1] \
     ON CONFLICT (collection, key) DO UPDATE SET \
       used = CASE WHEN q.ends <= clock_timestamp() THEN excluded.used ELSE q.used + excluded.used END, \
       ends = CASE WHEN q.ends <= clock_timestamp() THEN excluded.ends ELSE q.ends END \
     WHERE q.ends <= clock_timestamp() OR q.used + excluded.used <= ($5::bigint[])[1] \
     RETURNING used, extract(epoch FROM ends - clock_timestamp())::double precision";

/// Makes the rows that are missing, with a window that has ended: what is there can be locked. They may go again at any
/// time.
const MAKE_ROWS: &str = "INSERT INTO _carnet_quota (collection, key, ends, used) \
     SELECT collection, $2::bytea, clock_timestamp(), 0 FROM unnest($1::text[]) AS asked (collection) ORDER BY 1 \
     ON CONFLICT DO NOTHING";

/// The same as [`COUNT`] for several collections: all of them, or none where one has no room or no row.
const COUNT_ALL: &str = "WITH known AS ( \
       SELECT collection, CASE WHEN ends > clock_timestamp() THEN used ELSE 0 END AS used FROM _carnet_quota \
       WHERE key = $2::bytea AND collection = ANY ($1::text[]) ORDER BY collection FOR UPDATE), \
     asked AS (SELECT * FROM unnest($1::text[], $3::double precision[], $4::bigint[], $5::bigint[]) \
       AS asked (collection, seconds, requests, quota)), \
     counted AS (INSERT INTO _carnet_quota AS q (collection, key, ends, used) \
       SELECT collection, $2::bytea, clock_timestamp() + seconds * interval '1 second', requests FROM asked \
       WHERE NOT EXISTS (SELECT FROM asked LEFT JOIN known USING (collection) \
         WHERE (used + requests <= quota) IS NOT TRUE) \
       ON CONFLICT (collection, key) DO UPDATE SET \
         used = CASE WHEN q.ends <= clock_timestamp() THEN excluded.used ELSE q.used + excluded.used END, \
         ends = CASE WHEN q.ends <= clock_timestamp() THEN excluded.ends ELSE q.ends END \
       RETURNING collection, used, ends) \
     SELECT used, extract(epoch FROM ends - clock_timestamp())::double precision FROM counted \
     ORDER BY array_position($1::text[], collection)";

/// Where a key stands with each collection, with no time left where no window is open.
const LOOK: &str = "SELECT coalesce(used, 0), extract(epoch FROM ends - clock_timestamp())::double precision \
     FROM unnest($1::text[]) WITH ORDINALITY AS asked (collection, place) \
     LEFT JOIN _carnet_quota AS q ON q.collection = asked.collection AND key = $2::bytea AND ends > clock_timestamp() \
     ORDER BY place";

impl Session {
    pub(super) async fn use_quotas(
        &self,
        caller: KeyHash,
        asked: &[QuotaRequest<'_>],
    ) -> Result<Vec<Usage>, StoreError> {
        let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let names: Vec<&str> = asked.iter().map(|asked| asked.collection.name()).collect();
        let seconds: Vec<f64> = asked.iter().map(|asked| asked.limit.interval_seconds as f64).collect();
        let requests: Vec<i64> = asked.iter().map(|asked| signed(asked.requests)).collect();
        let quotas: Vec<i64> = asked.iter().map(|asked| signed(asked.limit.quota)).collect();
        let (key, is_look) = (caller.as_bytes(), requests.iter().all(|number| *number == 0));
        loop {
            if !is_look {
                let count = if let [_] = asked { COUNT } else { COUNT_ALL };
                let counted = self.ask_aside(count, &[&names, &key, &seconds, &requests, &quotas]).await?;
                if counted.len() == asked.len() {
                    return usages(&counted, asked, |_, _| true);
                }
            }
            let found = self.ask_aside(LOOK, &[&names, &key]).await?;
            let found = usages(&found, asked, |used, asked| has_room(asked.limit, used, asked.requests))?;
            if is_look || found.iter().any(|usage| !usage.fits) {
                return Ok(found);
            }
            // A window that left no room has ended since, or there was no row.
            if asked.len() > 1 {
                self.ask_aside(MAKE_ROWS, &[&names, &key]).await?;
            }
        }
    }
}

fn usages(
    rows: &[Row],
    asked: &[QuotaRequest<'_>],
    fits: impl Fn(u64, &QuotaRequest<'_>) -> bool,
) -> Result<Vec<Usage>, StoreError> {
    let usage = |(row, asked): (&Row, &QuotaRequest<'_>)| {
        let used: i64 = row.try_get(0)?;
        let left: Option<f64> = row.try_get(1)?;
        let left = left.map_or(Duration::from_secs(asked.limit.interval_seconds), |left| {
            Duration::try_from_secs_f64(left).unwrap_or_default()
        });
        let used = used.unsigned_abs();
        Ok(Usage { used, left, fits: fits(used, asked) })
    };
    rows.iter().zip(asked).map(usage).collect::<Result<_, _>>().map_err(|error| of_reading(&error))
}
