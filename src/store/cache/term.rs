//! A term: what a filter asks of one field, as something to look up by.
//!
//! Of all the conditions that a query can put to a field, each value meets exactly one; so a record belongs
//! to exactly one set for each combination of fields.

use crate::catalog::field::{Field, FieldKind};
use crate::record::Value;
use crate::record::listing::Condition;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::store) enum Term {
    /// No value; for an optional string also the empty one, since a query cannot tell them apart.
    Absent,
    Text(Box<str>),
    Integer(i64),
    /// The bits of a double that is neither NaN nor minus zero: equal bits are equal numbers.
    Float(u64),
    Boolean(bool),
    /// Met by no filter.
    Garbled,
}

impl Term {
    /// The term of a condition; `None` where no record can match.
    pub(in crate::store) fn asked(condition: &Condition) -> Option<Self> {
        match condition {
            Condition::Equals(value) => Some(Self::plain(value)),
            Condition::Absent | Condition::AbsentOrEmpty => Some(Self::Absent),
            Condition::Never => None,
        }
    }

    /// The term that a value of this field meets.
    pub(in crate::store) fn met(field: &Field, value: &Value) -> Self {
        match value {
            Value::Text(text)
                if text.is_empty() && field.kind() == FieldKind::String && !field.is_required() =>
            {
                Self::Absent
            }
            value => Self::plain(value),
        }
    }

    fn plain(value: &Value) -> Self {
        match value {
            Value::Null => Self::Absent,
            Value::Text(text) => Self::Text(text.as_str().into()),
            Value::Integer(integer) => Self::Integer(*integer),
            Value::Float(float) => Self::Float(float.to_bits()),
            Value::Boolean(boolean) => Self::Boolean(*boolean),
            Value::Garbled(_) => Self::Garbled,
        }
    }

    /// The value that meets it; `None` for none.
    pub(super) fn value(&self) -> Option<Value> {
        match self {
            Self::Absent | Self::Garbled => None,
            Self::Text(text) => Some(Value::Text(text.to_string())),
            Self::Integer(integer) => Some(Value::Integer(*integer)),
            Self::Float(bits) => Some(Value::Float(f64::from_bits(*bits))),
            Self::Boolean(boolean) => Some(Value::Boolean(*boolean)),
        }
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let text = if let Self::Text(text) = self { text.len() } else { 0 };
        size_of::<Self>() + text
    }
}
