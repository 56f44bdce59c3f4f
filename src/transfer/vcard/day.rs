//! The days of cards, which are written in many ways.

use super::property::{Property, Unreadable};

/// Apple writes this year for a birthday without one, and says so.
const OMITTED_YEAR: &str = "X-APPLE-OMIT-YEAR";

/// A day as a field of days takes it; `None` where it is not a whole one, such as `--0415`. What cannot be understood is
/// handed on, and is judged as any other text.
pub(super) fn read(property: &Property<'_>) -> Result<Option<String>, Unreadable> {
    let text = property.text()?;
    let day = text.split_once(['T', ' ']).map_or(text.as_str(), |(day, _)| day);
    let omitted = property.parameter(OMITTED_YEAR);
    let has_year = omitted.is_none_or(|year| !day.starts_with(year));
    if !has_year || day.starts_with("--") || property.has("VALUE", "text") {
        return Ok(None);
    }
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    Ok(match (day.len(), is_number(day)) {
        (8, true) => Some(format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])),
        // A year, or a year and a month.
        (4, true) => None,
        (7, false) if is_number(&day.replacen('-', "", 1)) => None,
        _ => Some(day.to_owned()),
    })
}
