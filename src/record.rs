//! One stored record: its id and its values.

pub mod access_key;
pub mod draft;
pub mod etag;
pub mod fault;
pub mod listing;
pub mod moment;
pub mod representation;
pub mod scope;

use std::fmt;

/// The id of a record: a positive integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(i64);

impl RecordId {
    /// Accepts what a path may name: decimal, positive, within 64 bits, no leading zero, no sign.
    pub fn parse(text: &str) -> Option<Self> {
        match integer(text) {
            Some(id) => Self::new(id),
            None => None,
        }
    }

    /// Accepts a positive number.
    pub fn new(id: i64) -> Option<Self> {
        (id > 0).then_some(Self(id))
    }

    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One value of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An optional field without a value.
    Null,
    Text(String),
    Integer(i64),
    /// Finite, and never minus zero: the engines would not keep its sign alike.
    Float(f64),
    Boolean(bool),
    /// Text that another tool stored and that is no Unicode. No body and no filter can say it.
    Garbled(Vec<u8>),
}

impl Value {
    /// How many bytes it takes beside itself.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Garbled(bytes) => bytes.len(),
            Self::Null | Self::Integer(_) | Self::Float(_) | Self::Boolean(_) => 0,
        }
    }
}

/// An integer as JSON writes it, `-?(0|[1-9][0-9]*)`, within 64 bits. `-0` is none.
pub fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if is_canonical { text.parse().ok() } else { None }
}

/// A number as JSON writes it that fits a double: neither too large nor so small that it would become zero.
pub fn float(text: &str) -> Option<f64> {
    if !is_json_number(text.as_bytes()) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    let vanished = number == 0.0 && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    // Adding zero turns -0.0 into 0.0 and changes nothing else.
    (number.is_finite() && !vanished).then_some(number + 0.0)
}

fn is_json_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_positive_number_in_its_one_spelling() {
        assert_eq!(RecordId::parse("7").map(RecordId::get), Some(7));
        assert_eq!(RecordId::parse("9223372036854775807").map(RecordId::get), Some(i64::MAX));
        for no in
            ["0", "-1", "+1", "01", "", "abc", "1.0", "9223372036854775808", "18446744073709551616", "٣"]
        {
            assert_eq!(RecordId::parse(no), None, "{no}");
        }
    }

    #[test]
    fn an_integer_is_exact_and_has_one_spelling() {
        assert_eq!(integer("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(integer("0"), Some(0));
        for no in ["-0", "1e2", "1.0", "00", "-", "9223372036854775808", " 1", "+1"] {
            assert_eq!(integer(no), None, "{no}");
        }
    }

    #[test]
    fn a_float_is_what_json_calls_a_number_and_a_double_can_hold() {
        for (text, number) in
            [("1", 1.0), ("-1.5e3", -1500.0), ("0", 0.0), ("1E+2", 100.0), ("99E091", 99e91)]
        {
            assert_eq!(float(text), Some(number), "{text}");
        }
        assert!(float("-0.0").is_some_and(|zero| zero.is_sign_positive()));
        for no in ["1e999", "1e-999", "NaN", "inf", ".5", "1.", "01", "+1", "1e", "0x1", ""] {
            assert_eq!(float(no), None, "{no}");
        }
    }
}
