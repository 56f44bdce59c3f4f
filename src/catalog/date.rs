//! Days and moments: from the texts that are taken to numbers that compare as they do, and back.
//!
//! Both count from the beginning of the year 1 of the Gregorian calendar. Not `jiff`: it ends a day before the year 9999
//! does, and takes many texts that are refused here.

use std::fmt;

/// From the first day to the last: those of the years 0001 to 9999.
const DAYS: i32 = 3_652_059;
const DAY: i64 = 86_400 * SECOND;
/// In microseconds.
const SECOND: i64 = 1_000_000;
/// The days up to the first of the year 2000, from which PostgreSQL counts.
const UP_TO_2000: i32 = 730_119;

/// A day of the years 0001 to 9999: how many there are before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(i32);

/// A moment of the same years in UTC: how many microseconds there are before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Datetime(i64);

impl Date {
    /// Understands `YYYY-MM-DD`, if there is such a day.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != 10 || text.get(4..5)? != "-" || text.get(7..8)? != "-" {
            return None;
        }
        let year = 100 * two(text, 0, 100)? + two(text, 2, 100)?;
        let (month, day) = (two(text, 5, 13)?, two(text, 8, 32)?);
        let days = days(year, month, day);
        // What is no day of its month is one of another.
        (year > 0 && civil(days) == (year, month, day)).then_some(Self(i32::try_from(days).ok()?))
    }

    /// How many days after the first of the year 2000.
    pub fn since_2000(self) -> i32 {
        self.0 - UP_TO_2000
    }

    /// The day so many after the first of the year 2000, or the nearest that there is.
    pub fn from_days_since_2000(days: i32) -> Self {
        Self(days.saturating_add(UP_TO_2000).clamp(0, DAYS - 1))
    }

    /// Appends bytes that compare as days do.
    pub fn write_ordered(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_be_bytes()[1..]);
    }
}

/// `YYYY-MM-DD`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0.into());
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Datetime {
    /// Understands RFC 3339 with `T`, up to 6 digits of a second, and `Z` or an offset.
    pub fn parse(text: &str) -> Option<Self> {
        let date = Date::parse(text.get(..10)?)?;
        let (clock, rest) = text.get(10..)?.strip_prefix('T')?.split_at_checked(8)?;
        let (fraction, zone) = fraction(rest)?;
        let offset = match zone.split_at_checked(1)? {
            ("Z", "") => 0,
            ("+", clock) if clock.len() == 5 => offset(clock)?,
            ("-", clock) if clock.len() == 5 => -offset(clock)?,
            _ => return None,
        };
        Self::new(i64::from(date.0), seconds(clock)? - offset, fraction)
    }

    /// Understands what PostgreSQL writes of one in any time zone: there the year may be another one, and the offset one
    /// of the time before time zones, to the second.
    pub fn parse_stored(text: &str) -> Option<Self> {
        let (text, is_before_christ) = match text.strip_suffix(" BC") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (date, time) = text.split_once(['T', ' '])?;
        let (year, day) = date.split_once('-')?;
        let year: i64 = year.parse().ok().filter(|year| (1..=10_000).contains(year))?;
        let year = if is_before_christ { 1 - year } else { year };
        let (month, day) = (two(day, 0, 13)?, two(day, 3, 32)?);
        let (clock, rest) = time.split_at_checked(8)?;
        let (fraction, zone) = fraction(rest)?;
        let offset = match zone.split_at_checked(1)? {
            ("Z", "") => 0,
            ("+", clock) => offset(clock)?,
            ("-", clock) => -offset(clock)?,
            _ => return None,
        };
        Self::new(days(year, month, day), seconds(clock)? - offset, fraction)
    }

    /// If it is within the years.
    fn new(days: i64, seconds: i64, micros: i64) -> Option<Self> {
        let moment = days * DAY + seconds * SECOND + micros;
        (0..i64::from(DAYS) * DAY).contains(&moment).then_some(Self(moment))
    }

    /// How many microseconds after the beginning of the year 2000.
    pub fn since_2000(self) -> i64 {
        self.0 - i64::from(UP_TO_2000) * DAY
    }

    /// The moment so many microseconds after the beginning of the year 2000, or the nearest that there is.
    pub fn from_micros_since_2000(micros: i64) -> Self {
        Self(micros.saturating_add(i64::from(UP_TO_2000) * DAY).clamp(0, i64::from(DAYS) * DAY - 1))
    }

    /// Appends bytes that compare as moments do. Of a whole second, which most are, they are fewer where nothing follows.
    pub fn write_ordered(self, out: &mut Vec<u8>, is_followed: bool) {
        let (seconds, micros) = (self.0 / SECOND, self.0 % SECOND);
        out.extend_from_slice(&seconds.to_be_bytes()[3..]);
        if is_followed || micros > 0 {
            out.extend_from_slice(&micros.to_be_bytes()[5..]);
        }
    }

    /// Its text with all 6 digits: texts compare as moments do.
    pub fn full_text(self) -> String {
        format!("{}.{:06}Z", self.to_the_second(), self.0 % SECOND)
    }

    fn to_the_second(self) -> String {
        // It is within the years, and so is its day.
        let date = Date((self.0 / DAY) as i32);
        let second = self.0 % DAY / SECOND;
        format!("{date}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
    }
}

/// RFC 3339 in UTC, with as few digits as it needs.
impl fmt::Display for Datetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_the_second())?;
        match self.0 % SECOND {
            0 => f.write_str("Z"),
            micros => write!(f, ".{}Z", format!("{micros:06}").trim_end_matches('0')),
        }
    }
}

/// Two digits of a text, as a number below a bound.
fn two(text: &str, at: usize, below: i64) -> Option<i64> {
    let digits = text.get(at..at + 2)?;
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    (number < below).then_some(number)
}

/// The seconds of `HH:MM:SS`.
fn seconds(clock: &str) -> Option<i64> {
    if clock.len() != 8 || clock.get(2..3)? != ":" || clock.get(5..6)? != ":" {
        return None;
    }
    Some(two(clock, 0, 24)? * 3600 + two(clock, 3, 60)? * 60 + two(clock, 6, 60)?)
}

/// The seconds of `HH`, `HH:MM` or `HH:MM:SS`.
fn offset(clock: &str) -> Option<i64> {
    match clock.len() {
        2 => seconds(&format!("{clock}:00:00")),
        5 => seconds(&format!("{clock}:00")),
        _ => seconds(clock),
    }
}

/// The microseconds of a point and 1 to 6 digits, where there are any, and what follows them.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(digits) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at_checked(end)?;
    if !(1..=6).contains(&digits.len()) {
        return None;
    }
    Some((format!("{digits:0<6}").parse().ok()?, rest))
}

/// The days before a day of any year. The year is taken to begin in March: its leap day is the last then.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 306
}

/// The year, the month and the day before which there are so many days.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 306;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests;
