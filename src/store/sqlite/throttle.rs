//! A connection that is throttled: it leaves half of the time to others, so that whoever serves the store beside it comes
//! first.
//!
//! How much of a core it asks for is not enough: a server's processes are in another session or another service mostly,
//! and `nice` counts only within one.

use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rustix::time::{ClockId, clock_gettime};

/// It looks at the time after so many instructions of SQLite, which take some ten microseconds.
const LOOK: i32 = 1_000;
/// It rests after so much work: whoever waits for the core does so no longer.
const WORK: Duration = Duration::from_millis(1);
/// No rest is longer. The work may be that of another thread, which had the connection before.
const LONGEST: Duration = Duration::from_millis(100);

/// From now on rests for as long as it works.
pub(super) fn throttle(connection: &mut Connection) -> rusqlite::Result<()> {
    let mut rested = processor_time();
    let rest_if_due = move || {
        let worked = processor_time().saturating_sub(rested);
        if worked >= WORK {
            rest(worked.min(LONGEST));
        }
        if worked >= WORK || worked.is_zero() {
            rested = processor_time();
        }
        false
    };
    connection.progress_handler(LOOK, Some(rest_if_due))
}

/// Leaves the disk and the core to others.
#[expect(clippy::disallowed_methods, reason = "it is the time itself that is given to others")]
pub(super) fn rest(time: Duration) {
    thread::sleep(time);
}

/// How long this thread has worked.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_long_statement_rests_for_as_long_as_it_works() {
        let mut connection = Connection::open_in_memory().unwrap();
        throttle(&mut connection).unwrap();
        let (begun, before) = (Instant::now(), processor_time());
        let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT count(*) FROM n";
        assert_eq!(connection.query_row(count, [], |row| row.get::<_, i64>(0)), Ok(300_000));
        let (taken, worked) = (begun.elapsed(), processor_time() - before);
        assert!(worked > 10 * WORK, "{worked:?}");
        assert!(taken > worked * 3 / 2, "{taken:?} for {worked:?} of work");
    }
}
