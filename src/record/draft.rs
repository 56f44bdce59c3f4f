//! A body from a client becomes a [`Draft`] (create) or a [`Patch`] (update): the only judge of a body.
//!
//! Whether a reference points at something and whether a unique rule holds is the store's to say.

pub mod batch;
pub mod earlier;
pub mod key;
mod object;
mod patch;

use std::sync::Arc;

use serde_json::value::RawValue;

use super::Value;
use super::fault::{self, Collector, Found};
use super::judge;
use super::moment::MomentError;
use super::scope::ScopeError;
use super::value::text;
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::catalog::rule::Mismatch;
use earlier::Earlier;
use object::Members;
pub use patch::Patch;

/// How deep a body may nest. A record is flat; the room is for members that are refused by name.
pub const DEEPEST: usize = 32;

/// Every value of a new record, in the order of the fields, each known to fit its field.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft(Arc<[Value]>);

/// Why a body is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftError {
    Empty,
    /// It begins with a byte order mark, of UTF-8 or of UTF-16.
    ByteOrderMark,
    /// The position of the first byte that is not UTF-8.
    NotUtf8(usize),
    /// What the parser says, with line and column.
    NotJson(String),
    NotAnObject,
    TooDeep,
    GivenTwice(String),
    UnknownField(String),
    AssignedByService(&'static str),
    CannotBeChanged(&'static str),
    Missing(String),
    DoesNotValidate(String),
    /// A text that the field does not take, and why.
    Refused {
        field: String,
        why: Mismatch,
    },
    /// A text that should be an earlier item of the batch, of which there is a record of `target`.
    NoEarlierItem {
        member: String,
        given: String,
        target: String,
    },
    /// A field by which records are found, and the rule that it is of.
    NoValue {
        field: String,
        rule: String,
    },
    /// A text that cannot be what an access key is called.
    NoKeyName,
    /// What an access key may, and why it is not understood.
    NoScopes(ScopeError),
    /// When an access key ends, and why it is not understood.
    NoMoment(MomentError),
    /// How long a secret stays good beside a new one.
    NoGrace,
}

impl DraftError {
    /// Whether the body could be read, and only what it says does not fit.
    pub fn is_about_fields(&self) -> bool {
        match self {
            Self::Empty
            | Self::ByteOrderMark
            | Self::NotUtf8(_)
            | Self::NotJson(_)
            | Self::NotAnObject
            | Self::TooDeep
            | Self::GivenTwice(_) => false,
            Self::UnknownField(_)
            | Self::AssignedByService(_)
            | Self::CannotBeChanged(_)
            | Self::Missing(_)
            | Self::DoesNotValidate(_)
            | Self::Refused { .. }
            | Self::NoEarlierItem { .. }
            | Self::NoValue { .. }
            | Self::NoKeyName
            | Self::NoScopes(_)
            | Self::NoMoment(_)
            | Self::NoGrace => true,
        }
    }
}

impl Draft {
    /// Judges the body of a create.
    pub fn parse(collection: &Collection, body: &[u8]) -> Result<Self, DraftError> {
        Self::read(collection, body, &mut Collector::first(), &mut Earlier::default())
    }

    /// Judges the same in an item of a batch.
    pub fn parse_item(
        collection: &Collection,
        body: &[u8],
        earlier: &mut Earlier<'_>,
    ) -> Result<Self, DraftError> {
        Self::read(collection, body, &mut Collector::first(), earlier)
    }

    /// All faults of a body that [`Draft::parse`] refuses.
    pub fn faults(collection: &Collection, body: &[u8]) -> Found<DraftError> {
        fault::collect(|faults| Self::read(collection, body, faults, &mut Earlier::default()))
    }

    fn read(
        collection: &Collection,
        body: &[u8],
        faults: &mut Collector<DraftError>,
        earlier: &mut Earlier<'_>,
    ) -> Result<Self, DraftError> {
        let values = of_new(collection, body, faults, earlier)?.zip(collection.fields());
        values
            .map(|(value, field)| value.map(|value| value.unwrap_or_else(|| Value::default_of(field))))
            .collect::<Result<Vec<_>, _>>()
            .map(Self::of)
    }

    /// A new record of these values, which are in the order of the fields and known to fit them.
    pub fn of(values: Vec<Value>) -> Self {
        Self(values.into())
    }

    /// The values in the order of the fields.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The same, to keep.
    pub fn shared_values(&self) -> Arc<[Value]> {
        self.0.clone()
    }

    /// Puts a value into the field at this position that is known to fit.
    pub fn set(&mut self, field: usize, value: Value) {
        Arc::make_mut(&mut self.0)[field] = value;
    }
}

/// What the body of a create says of each field, in declared order.
fn of_new<'r>(
    collection: &'r Collection,
    body: &'r [u8],
    faults: &'r mut Collector<DraftError>,
    earlier: &'r mut Earlier<'_>,
) -> Result<impl Iterator<Item = Result<Option<Value>, DraftError>>, DraftError> {
    let members = Members::parse(body, faults)?;
    let given = members.of_fields(collection, faults, |member, value, faults| {
        faults.report(DraftError::AssignedByService(member), Some(value.get()))
    })?;
    let values = collection.fields().iter().zip(given).enumerate();
    Ok(values.map(|(position, (field, value))| match value {
        Some(value) => accept((position, field), value, faults, earlier).map(Some),
        None if field.must_be_given() => {
            faults.report(DraftError::Missing(field.name().to_owned()), None).map(|()| None)
        }
        None => Ok(None),
    }))
}

/// The members of an object in the order given, each name once, values as they were written.
pub fn members(body: &[u8]) -> Result<Vec<(String, &RawValue)>, DraftError> {
    Members::parse(body, &mut Collector::first()).map(|members| members.0)
}

/// The JSON of a member of a body, shortened; `None` where there is no such member.
pub fn given(body: &[u8], name: &str) -> Option<String> {
    let members = Members::parse(body, &mut Collector::first()).ok()?;
    let (_, value) = members.0.iter().find(|(member, _)| member == name)?;
    Some(fault::shorten(value.get()))
}

/// The value of one member, if its field accepts it.
fn accept(
    (position, field): (usize, &Field),
    value: &RawValue,
    faults: &mut Collector<DraftError>,
    earlier: &mut Earlier<'_>,
) -> Result<Value, DraftError> {
    let json = value.get();
    let parsed = match json {
        "null" if field.is_required() => Err(None),
        "null" => Ok(Value::Null),
        _ => judge::from_json(field, json),
    };
    let parsed = match parsed {
        Ok(value) => Ok(value),
        Err(Some(why)) => Err(DraftError::Refused { field: field.name().to_owned(), why }),
        Err(None) => earlier.refer((position, field), json),
    };
    // What stands in for a value that is refused is seen by nobody.
    faults.accept(parsed, json).map(|value| value.unwrap_or(Value::Null))
}

#[cfg(test)]
mod tests;
