//! Days and moments against another calendar, both ends of the years, and texts that are none.

use jiff::civil;
use proptest::prelude::*;

use super::*;

fn ordered(moment: Datetime, is_followed: bool) -> Vec<u8> {
    let mut key = Vec::new();
    moment.write_ordered(&mut key, is_followed);
    key
}

#[test]
fn every_month_is_that_of_another_calendar() {
    let mut before = -1;
    for year in 1..=9999 {
        for month in 1..=12 {
            let last = civil::date(year, month, 1).days_in_month();
            let first = days(year.into(), month.into(), 1);
            assert_eq!(first, before + 1);
            before = days(year.into(), month.into(), last.into());
            assert_eq!(before - first, i64::from(last) - 1);
            for (number, day) in [(first, 1), (before, last)] {
                assert_eq!(civil(number), (year.into(), month.into(), day.into()));
            }
        }
    }
    assert_eq!(before + 1, i64::from(DAYS));
    assert_eq!(Date(DAYS - 1).to_string(), "9999-12-31");
    assert_eq!(Date::parse("2000-01-01").map(Date::since_2000), Some(0));
}

#[test]
fn days_keep_their_order_in_three_bytes() {
    let ordered = |day: i32| {
        let mut key = Vec::new();
        Date(day).write_ordered(&mut key);
        assert_eq!(key.len(), 3);
        key
    };
    assert!((1..DAYS).step_by(97).all(|day| ordered(day - 1) < ordered(day)));
}

#[test]
fn a_day_is_written_in_one_way() {
    for text in
        ["0001-01-01", "1582-10-10", "1815-12-10", "1900-02-28", "2000-02-29", "2024-02-29", "9999-12-31"]
    {
        assert_eq!(Date::parse(text).map(|day| day.to_string()).as_deref(), Some(text));
    }
    for text in [
        "",
        "0000-01-01",
        "0000-12-31",
        "10000-01-01",
        "1900-02-29",
        "2023-02-29",
        "2024-02-30",
        "2024-04-31",
        "2024-00-01",
        "2024-13-01",
        "2024-01-00",
        "2024-01-32",
        "1815-12-1",
        "1815-1-10",
        "15-12-10",
        "18151210",
        "1815/12/10",
        "10-12-1815",
        "1815-12-10T00:00:00Z",
        " 1815-12-10",
        "1815-12-10 ",
        "+815-12-10",
        "-815-12-10",
        "1815-12-+1",
        "١٨١٥-12-10",
        "1815-W50",
        "1815-12-1é",
        "today",
        "1815-344",
    ] {
        assert_eq!(Date::parse(text), None, "{text}");
    }
}

#[test]
fn a_moment_is_answered_in_utc_with_few_digits() {
    for (text, answered) in [
        ("2027-01-31T12:00:00Z", "2027-01-31T12:00:00Z"),
        ("2027-01-31T12:00:00.000000Z", "2027-01-31T12:00:00Z"),
        ("2027-01-31T12:00:00.5Z", "2027-01-31T12:00:00.5Z"),
        ("2027-01-31T12:00:00.120Z", "2027-01-31T12:00:00.12Z"),
        ("2027-01-31T12:00:00.000001Z", "2027-01-31T12:00:00.000001Z"),
        ("2027-01-31T12:00:00+02:00", "2027-01-31T10:00:00Z"),
        ("2027-01-31T23:30:00-00:45", "2027-02-01T00:15:00Z"),
        ("2027-01-31T12:00:00-00:00", "2027-01-31T12:00:00Z"),
        ("2027-01-31T12:00:00+23:59", "2027-01-30T12:01:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0001-01-01T23:59:00+23:59", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("2024-02-29T23:59:59-23:59", "2024-03-01T23:58:59Z"),
    ] {
        let moment = Datetime::parse(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(moment.to_string(), answered, "{text}");
        assert_eq!(Datetime::parse(&moment.full_text()), Some(moment));
        assert_eq!(moment.full_text().len(), 27);
    }
    for text in [
        "",
        "2027-01-31",
        "2027-01-31T12:00:00",
        "2027-01-31T12:00Z",
        "2027-01-31T12Z",
        "2027-01-31 12:00:00Z",
        "2027-01-31t12:00:00Z",
        "2027-01-31T12:00:00z",
        "2027-01-31T24:00:00Z",
        "2027-01-31T23:60:00Z",
        "2027-01-31T23:59:60Z",
        "2027-01-31T12:00:00.Z",
        "2027-01-31T12:00:00.1234567Z",
        "2027-01-31T12:00:00,5Z",
        "2027-01-31T12:00:00+0200",
        "2027-01-31T12:00:00+02",
        "2027-01-31T12:00:00+24:00",
        "2027-01-31T12:00:00+02:60",
        "2027-01-31T12:00:00+02:00:00",
        "2027-01-31T12:00:00 Z",
        "2027-01-31T12:00:00Z ",
        "2027-01-31T12:00:00ZZ",
        "2027-01-31T12:00:00[UTC]",
        "2027-02-29T12:00:00Z",
        "0000-12-31T23:00:00-05:00",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "20270131T120000Z",
        "1801396800",
        "now",
        "2027-01-31T12:00:00é",
        "2027-01-31é12:00:00Z",
        "2027-01-31T1é:00:00Z",
    ] {
        assert_eq!(Datetime::parse(text), None, "{text}");
    }
}

#[test]
fn what_postgresql_writes_in_any_time_zone_is_read() {
    for (text, moment) in [
        ("2027-01-31T13:00:00+01:00", "2027-01-31T12:00:00Z"),
        ("2027-01-31 12:00:00.25+00", "2027-01-31T12:00:00.25Z"),
        ("1800-01-01T00:09:21+00:09:21", "1800-01-01T00:00:00Z"),
        ("10000-01-01T00:59:59.999999+01:00", "9999-12-31T23:59:59.999999Z"),
        ("0001-12-31T19:03:58-04:56:02 BC", "0001-01-01T00:00:00Z"),
        ("0001-12-31 19:03:58-04:56:02 BC", "0001-01-01T00:00:00Z"),
    ] {
        assert_eq!(
            Datetime::parse_stored(text).map(|moment| moment.to_string()).as_deref(),
            Some(moment),
            "{text}"
        );
    }
    for text in
        ["infinity", "-infinity", "", "2027-01-31", "2027-01-31T13:00:00", "0002-12-31T19:03:58-04:56:02 BC"]
    {
        assert_eq!(Datetime::parse_stored(text), None, "{text}");
    }
}

#[test]
fn what_is_beyond_the_years_is_the_nearest_there_is() {
    assert_eq!(Date::from_days_since_2000(i32::MAX).to_string(), "9999-12-31");
    assert_eq!(Date::from_days_since_2000(i32::MIN).to_string(), "0001-01-01");
    assert_eq!(Datetime::from_micros_since_2000(i64::MAX).to_string(), "9999-12-31T23:59:59.999999Z");
    assert_eq!(Datetime::from_micros_since_2000(i64::MIN).to_string(), "0001-01-01T00:00:00Z");
}

proptest! {
    #[test]
    fn a_moment_is_read_back_and_keeps_its_order(
        one in 0..i64::from(DAYS) * DAY,
        other in 0..i64::from(DAYS) * DAY,
        whole in any::<bool>(),
    ) {
        let whole = |moment: i64| Datetime(if whole { moment / SECOND * SECOND } else { moment });
        let (one, other) = (whole(one), whole(other));
        prop_assert_eq!(Datetime::parse(&one.to_string()), Some(one));
        prop_assert_eq!(Datetime::parse_stored(&one.to_string()), Some(one));
        prop_assert_eq!(Datetime::from_micros_since_2000(one.since_2000()), one);
        prop_assert_eq!(one.full_text().cmp(&other.full_text()), one.cmp(&other));
        for is_followed in [true, false] {
            prop_assert_eq!(ordered(one, is_followed).cmp(&ordered(other, is_followed)), one.cmp(&other));
        }
        let jiff = jiff::Timestamp::from_microsecond(one.since_2000() + 946_684_800 * SECOND);
        // The last day of the years is beyond what jiff knows.
        if let Ok(jiff) = jiff {
            prop_assert_eq!(jiff.to_string(), one.to_string());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".*", nearly in "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{0,15}[Z+-]?[0-9:]{0,8}( BC)?") {
        for text in [text, nearly] {
            let _ = Datetime::parse_stored(&text);
            if let Some(moment) = Datetime::parse(&text) {
                let jiff = text.parse::<jiff::Timestamp>();
                prop_assert!(jiff.is_err() || jiff.is_ok_and(|jiff| jiff.to_string() == moment.to_string()));
            }
            if let Some(day) = Date::parse(&text) {
                prop_assert_eq!(day.to_string(), text);
            }
        }
    }
}
