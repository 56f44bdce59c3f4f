//! The value of a field: what JSON and a query may say for each kind, and how JSON shows it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::io::Write;

use super::representation::{infallible, write_integer, write_text};
use crate::catalog::date::{Date, Datetime};
use crate::catalog::field::{Field, FieldKind, Literal};

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
    Date(Date),
    Datetime(Datetime),
    /// Text that another tool stored and that is no Unicode. No body and no filter can say it.
    Garbled(Vec<u8>),
}

/// A value that is borrowed, from a row or from a [`Value`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Null,
    Text(&'a str),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Date(Date),
    Datetime(Datetime),
    Garbled(&'a [u8]),
}

impl Value {
    /// The value of this kind that JSON says, without `null`.
    pub fn from_json(kind: FieldKind, json: &str) -> Option<Self> {
        match kind {
            FieldKind::String => text(json).map(Self::Text),
            FieldKind::Integer => integer(json).map(Self::Integer),
            FieldKind::Float => float(json).map(Self::Float),
            FieldKind::Boolean => boolean(json).map(Self::Boolean),
            FieldKind::Date | FieldKind::Datetime => Self::from_query(kind, &text(json)?),
        }
    }

    /// The value of this kind that a text in a query asks for.
    pub fn from_query(kind: FieldKind, text: &str) -> Option<Self> {
        match kind {
            FieldKind::String => (!text.contains('\0')).then(|| Self::Text(text.to_owned())),
            // A filter takes the spelling `-0` too: it asks for an equal number, not for one to store.
            FieldKind::Integer if text == "-0" => Some(Self::Integer(0)),
            FieldKind::Integer | FieldKind::Float | FieldKind::Boolean => Self::from_json(kind, text),
            FieldKind::Date => Date::parse(text).map(Self::Date),
            FieldKind::Datetime => Datetime::parse(text).map(Self::Datetime),
        }
    }

    /// What a field holds where a create leaves it out.
    pub fn default_of(field: &Field) -> Self {
        match field.default() {
            None => Self::Null,
            Some(Literal::Text(text) | Literal::Bare(text)) => {
                Self::from_query(field.kind(), text).unwrap_or(Self::Null)
            }
            Some(Literal::Integer(integer)) => Self::Integer(*integer),
            Some(Literal::Float(float)) => Self::Float(*float),
            Some(Literal::Boolean(boolean)) => Self::Boolean(*boolean),
        }
    }

    pub fn cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Text(text) => Cell::Text(text),
            Self::Integer(integer) => Cell::Integer(*integer),
            Self::Float(float) => Cell::Float(*float),
            Self::Boolean(boolean) => Cell::Boolean(*boolean),
            Self::Date(day) => Cell::Date(*day),
            Self::Datetime(moment) => Cell::Datetime(*moment),
            Self::Garbled(bytes) => Cell::Garbled(bytes),
        }
    }

    /// Its text, where it is one.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Garbled(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    /// How it stands to a value of the same kind: numbers by value, `false` before `true`, what is earlier first. Texts
    /// are compared by their fold, which is not made here.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(other)),
            (Self::Float(one), Self::Float(other)) => Some(one.total_cmp(other)),
            (Self::Boolean(one), Self::Boolean(other)) => Some(one.cmp(other)),
            (Self::Date(one), Self::Date(other)) => Some(one.cmp(other)),
            (Self::Datetime(one), Self::Datetime(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }

    /// Appends bytes that compare as values of its kind do, as many for each where others follow. Texts are sorted by
    /// their folds, and no value by what is written instead: neither is written here.
    pub fn write_ordered(&self, out: &mut Vec<u8>, is_followed: bool) {
        match self {
            Self::Integer(integer) => out.extend_from_slice(&(integer ^ i64::MIN).to_be_bytes()),
            Self::Float(float) => {
                // As `f64::total_cmp` orders them.
                let bits = float.to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                out.extend_from_slice(&ordered.to_be_bytes());
            }
            Self::Boolean(boolean) => out.push(u8::from(*boolean)),
            Self::Date(day) => day.write_ordered(out),
            Self::Datetime(moment) => moment.write_ordered(out, is_followed),
            Self::Null | Self::Text(_) | Self::Garbled(_) => {}
        }
    }

    /// How many bytes it takes beside itself.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Garbled(bytes) => bytes.len(),
            _ => 0,
        }
    }

    /// Whether it is the empty text, which a query cannot tell from no value.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// The id that it says, where its field refers to a record.
    pub fn id(&self) -> Option<i64> {
        if let Self::Integer(id) = self { Some(*id) } else { None }
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

impl From<i64> for Cell<'_> {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

// No float is NaN, so each value equals itself.
impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Text(text) => text.hash(state),
            Self::Integer(integer) => integer.hash(state),
            // Neither NaN nor minus zero: equal bits are equal numbers.
            Self::Float(float) => float.to_bits().hash(state),
            Self::Boolean(boolean) => boolean.hash(state),
            Self::Date(day) => day.hash(state),
            Self::Datetime(moment) => moment.hash(state),
            Self::Garbled(bytes) => bytes.hash(state),
        }
    }
}

impl<'a> Cell<'a> {
    /// Stored text. Another tool may have stored bytes that are no UTF-8.
    pub fn text(bytes: &'a [u8]) -> Self {
        std::str::from_utf8(bytes).map_or(Self::Garbled(bytes), Self::Text)
    }

    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::Integer(integer) => Value::Integer(integer),
            Self::Float(float) => Value::Float(float),
            Self::Boolean(boolean) => Value::Boolean(boolean),
            Self::Date(day) => Value::Date(day),
            Self::Datetime(moment) => Value::Datetime(moment),
            Self::Garbled(bytes) => Value::Garbled(bytes.to_vec()),
        }
    }

    /// Appends it as JSON.
    pub fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Text(text) => write_text(out, text),
            // JSON has no way to say these bytes.
            Self::Garbled(bytes) => write_text(out, &String::from_utf8_lossy(bytes)),
            Self::Date(_) | Self::Datetime(_) => {
                out.push(b'"');
                self.write_bare(out);
                out.push(b'"');
            }
            Self::Integer(_) | Self::Float(_) | Self::Boolean(_) => self.write_bare(out),
        }
    }

    /// Appends it as a filter has it: as JSON without quotes, and nothing where there is no value.
    pub fn write_bare(self, out: &mut Vec<u8>) {
        match self {
            Self::Null => {}
            Self::Text(text) => out.extend_from_slice(text.as_bytes()),
            Self::Integer(integer) => write_integer(out, integer),
            // The shortest text that reads back as the same double, with `.0` where it is whole.
            Self::Float(float) => infallible(write!(out, "{float:?}")),
            Self::Boolean(boolean) => infallible(write!(out, "{boolean}")),
            Self::Date(day) => infallible(write!(out, "{day}")),
            Self::Datetime(moment) => infallible(write!(out, "{moment}")),
            Self::Garbled(bytes) => out.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes()),
        }
    }

    /// Its text, where it is one.
    pub fn as_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Garbled(bytes) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }
}

/// A JSON string, if it is one that both engines can hold.
pub fn text(json: &str) -> Option<String> {
    // Fails for other kinds of value, and for half of a surrogate pair, which is no Unicode.
    let text: String = serde_json::from_str(json).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn boolean(json: &str) -> Option<bool> {
    json.parse().ok()
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
