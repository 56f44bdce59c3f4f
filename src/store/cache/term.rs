//! A term: what a filter asks of one field, as something to look up by.
//!
//! Each value meets exactly one term; so of the sets that are made of terms alone, a record belongs to exactly one for
//! each combination of fields.

use crate::catalog::field::Field;
use crate::record::Value;
use crate::record::listing::Condition;

/// The value that is asked for. `None`: no value; for an optional string also the empty one, since a query cannot tell
/// them apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::store) struct Term(Option<Value>);

impl Term {
    /// The term of a condition; `None` where it asks for more, or other, than one value.
    pub(in crate::store) fn asked(condition: &Condition) -> Option<Self> {
        match condition {
            Condition::Equals(value) => Some(Self(Some(value.clone()))),
            Condition::Absent | Condition::AbsentOrEmpty => Some(Self(None)),
            _ => None,
        }
    }

    /// The term that a value of this field meets.
    pub(in crate::store) fn met(field: &Field, value: &Value) -> Self {
        let is_none = *value == Value::Null || (value.is_empty() && !field.is_required());
        Self((!is_none).then(|| value.clone()))
    }

    /// The condition on this field that the same values meet.
    pub(super) fn condition(&self, field: &Field) -> Condition {
        match &self.0 {
            Some(value) => Condition::Equals(value.clone()),
            None if field.kind().is_text() => Condition::AbsentOrEmpty,
            None => Condition::Absent,
        }
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.as_ref().map_or(0, Value::text_bytes)
    }
}
