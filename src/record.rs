//! One stored record: its id and its values.

pub mod access_key;
pub mod cursor;
pub mod draft;
pub mod etag;
pub mod expansion;
pub mod fault;
pub mod fetching;
pub mod fold;
pub mod judge;
pub mod listing;
pub mod members;
pub mod moment;
pub mod projection;
pub mod representation;
pub mod scope;
pub mod upsert;
pub mod value;

use std::fmt;

pub use value::Value;

/// The id of a record: a positive integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(i64);

impl RecordId {
    /// The first there is. It stands for a record that is not there yet.
    pub const FIRST: Self = Self(1);

    /// Accepts what a path may name: decimal, positive, within 64 bits, no leading zero, no sign.
    pub fn parse(text: &str) -> Option<Self> {
        match value::integer(text) {
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
}
