//! The moment that answers carry as `Date`: made once a second by each thread, and always what the clock says.
//!
//! The HTTP library has one, too. It stands still after the clock was set back, until the clock has caught up, and it
//! panics where the clock shows a year that `Date` cannot name, on every connection and whether or not it is asked.

use std::cell::RefCell;
use std::time::SystemTime;

use hyper::header::HeaderValue;

/// The last second, since the Unix epoch, that is in the year 9999 everywhere on earth.
const LAST_SECOND: u64 = 253_402_207_200;

thread_local! {
    /// The last second that was asked for, and its text.
    static LATEST: RefCell<Option<(u64, HeaderValue)>> = const { RefCell::new(None) };
}

/// The value of `Date` for an answer that is given now; none where the clock shows a year that it cannot name.
pub(super) fn now() -> Option<HeaderValue> {
    let second = second(SystemTime::now())?;
    LATEST.with_borrow_mut(|latest| match latest {
        Some((of, value)) if *of == second => Some(value.clone()),
        _ => {
            let value = value(second)?;
            *latest = Some((second, value.clone()));
            Some(value)
        }
    })
}

/// Whether the clock shows a year from 1970 to 9999.
pub(super) fn is_known() -> bool {
    second(SystemTime::now()).is_some()
}

fn second(moment: SystemTime) -> Option<u64> {
    let since_epoch = moment.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since_epoch.as_secs()).filter(|second| *second <= LAST_SECOND)
}

fn value(second: u64) -> Option<HeaderValue> {
    let moment = jiff::Timestamp::from_second(i64::try_from(second).ok()?).ok()?;
    HeaderValue::from_str(&moment.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_second_of_a_year_with_four_digits_has_a_value() {
        for (second, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (LAST_SECOND, "Thu, 30 Dec 9999 22:00:00 GMT"),
        ] {
            assert_eq!(value(second).unwrap(), text);
        }
    }

    #[test]
    fn no_other_moment_is_a_second_of_ours() {
        let after = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(second(after(LAST_SECOND)), Some(LAST_SECOND));
        assert_eq!(second(after(LAST_SECOND + 1)), None);
        assert_eq!(second(SystemTime::UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
