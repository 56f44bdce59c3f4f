//! A moment, to the second: when an access key was made, ends, was used.

use std::fmt;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Seconds since the Unix epoch, of a year that has four digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

/// Why a text is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MomentError {
    #[error(
        "write a time from now such as 12h or 90d, a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z"
    )]
    NotAMoment,
    #[error("it is over already")]
    Past,
}

/// A text that is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a whole number with s, m, h, d or w for seconds, minutes, hours, days or weeks: 7d")]
pub struct SpanError;

impl Moment {
    /// Now; where the clock shows a year beyond 9999, the last moment before that.
    pub fn now() -> Self {
        Self(Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX).as_second())
    }

    /// As part of a file's name: `20270131T120000Z`.
    pub fn compact(self) -> String {
        self.to_string().replace(['-', ':'], "")
    }

    /// Understands a time from now (`90d`), a day (which it begins with, in UTC) or RFC 3339. It must be still to come.
    pub fn parse_future(text: &str, now: Self) -> Result<Self, MomentError> {
        let moment = match span(text) {
            Ok(span) => now.after(span).ok_or(MomentError::NotAMoment)?,
            Err(_) => Self::parse(text).ok_or(MomentError::NotAMoment)?,
        };
        if moment > now { Ok(moment) } else { Err(MomentError::Past) }
    }

    /// Understands a day or RFC 3339.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Some(Self(moment.as_second()));
        }
        let is_day = text.len() == "2027-01-31".len();
        let day = text.parse::<Date>().ok().filter(|_| is_day)?;
        Some(Self(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second()))
    }

    /// The moment so much later.
    pub fn after(self, span: Duration) -> Option<Self> {
        let later = self.0.checked_add(i64::try_from(span.as_secs()).ok()?)?;
        Timestamp::from_second(later).ok().map(|_| Self(later))
    }

    /// Seconds since the Unix epoch.
    pub fn seconds(self) -> i64 {
        self.0
    }

    pub fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }
}

/// RFC 3339, in UTC.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = Timestamp::from_second(self.0).unwrap_or(Timestamp::MAX);
        moment.strftime("%Y-%m-%dT%H:%M:%SZ").fmt(f)
    }
}

/// A length of time as people write it: `90d`, `12h`, `0s`.
pub fn span(text: &str) -> Result<Duration, SpanError> {
    let unit = text.chars().last().ok_or(SpanError)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return Err(SpanError),
    };
    let number = &text[..text.len() - 1];
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SpanError);
    }
    let number: u64 = number.parse().map_err(|_| SpanError)?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or(SpanError)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment(1_800_000_000);

    #[test]
    fn a_moment_is_a_time_from_now_a_day_or_rfc_3339() {
        let parse = |text: &str| Moment::parse_future(text, NOW).map(|moment| moment.to_string());
        for (text, expected) in [
            ("1s", "2027-01-15T08:00:01Z"),
            ("90d", "2027-04-15T08:00:00Z"),
            ("2w", "2027-01-29T08:00:00Z"),
            ("2027-01-31", "2027-01-31T00:00:00Z"),
            ("2027-01-31T12:00:00Z", "2027-01-31T12:00:00Z"),
            ("2027-01-31T12:00:00.9+02:00", "2027-01-31T10:00:00Z"),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["0s", "2027-01-15", "2027-01-15T08:00:00Z", "1970-01-01"] {
            assert_eq!(parse(text), Err(MomentError::Past), "{text}");
        }
        for text in [
            "",
            "d",
            "90",
            "-1d",
            "+1d",
            "1.5d",
            "1 d",
            "é",
            "tomorrow",
            "2027-02-30",
            "20270131",
            "99999999999d",
        ] {
            assert_eq!(parse(text), Err(MomentError::NotAMoment), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(Moment::parse(&NOW.to_string()), Some(NOW));
        assert_eq!(span("0s"), Ok(Duration::ZERO));
        assert_eq!(span(&format!("{}w", u64::MAX)), Err(SpanError));
    }
}
