//! A body from a client becomes a [`Draft`] (create) or a [`Patch`] (update): the only judge of a body.
//!
//! Whether a reference points at something and whether a unique rule holds is the store's to say.

pub mod key;

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::{self, Collector, Found};
use super::moment::MomentError;
use super::representation;
use super::scope::ScopeError;
use super::value::{integer, text};
use super::{RecordId, Value};
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::catalog::name::{ID, RESSOURCE_URI};

/// What editors and some libraries put before text: that of UTF-8, and the two of UTF-16. JSON has none.
const BYTE_ORDER_MARKS: [&[u8]; 3] = [&[0xef, 0xbb, 0xbf], &[0xff, 0xfe], &[0xfe, 0xff]];

/// How deep a body may nest. A record is flat; the room is for members that are refused by name.
pub const DEEPEST: usize = 32;

/// Every value of a new record, in the order of the fields, each known to fit its field.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft(Vec<Value>);

/// The values to change, each with the position of its field, in the order of the fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch(Vec<(usize, Value)>);

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
        Self::read(collection, body, &mut Collector::first())
    }

    /// All faults of a body that [`Draft::parse`] refuses.
    pub fn faults(collection: &Collection, body: &[u8]) -> Found<DraftError> {
        fault::collect(|faults| Self::read(collection, body, faults))
    }

    fn read(
        collection: &Collection,
        body: &[u8],
        faults: &mut Collector<DraftError>,
    ) -> Result<Self, DraftError> {
        let members = Members::parse(body, faults)?;
        let given = members.of_fields(collection, faults, |member, value, faults| {
            faults.report(DraftError::AssignedByService(member), Some(value.get()))
        })?;
        let values = collection.fields().iter().zip(given).map(|(field, value)| match value {
            Some(value) => accept(field, value, faults),
            None if field.is_required() => {
                faults.report(DraftError::Missing(field.name().to_owned()), None).map(|()| Value::Null)
            }
            None => Ok(Value::Null),
        });
        values.collect::<Result<_, _>>().map(Self)
    }

    /// The values in the order of the fields.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The same, taken out: nothing is left in the draft.
    pub fn take_values(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.0)
    }
}

impl Patch {
    /// Judges the body of an update of the record `id`.
    pub fn parse(collection: &Collection, id: RecordId, body: &[u8]) -> Result<Self, DraftError> {
        Self::read(collection, id, body, &mut Collector::first())
    }

    /// All faults of a body that [`Patch::parse`] refuses.
    pub fn faults(collection: &Collection, id: RecordId, body: &[u8]) -> Found<DraftError> {
        fault::collect(|faults| Self::read(collection, id, body, faults))
    }

    fn read(
        collection: &Collection,
        id: RecordId,
        body: &[u8],
        faults: &mut Collector<DraftError>,
    ) -> Result<Self, DraftError> {
        let members = Members::parse(body, faults)?;
        let given = members.of_fields(collection, faults, |member, value, faults| {
            if is_own(collection, id, member, value) {
                return Ok(());
            }
            faults.report(DraftError::CannotBeChanged(member), Some(value.get()))
        })?;
        let values = collection.fields().iter().zip(given).enumerate();
        let values = values.filter_map(|(position, (field, value))| {
            Some(accept(field, value?, faults).map(|value| (position, value)))
        });
        values.collect::<Result<_, _>>().map(Self)
    }

    /// The values to change, each with the position of its field.
    pub fn values(&self) -> &[(usize, Value)] {
        &self.0
    }

    /// The same, taken out: nothing is left in the patch.
    pub fn take_values(&mut self) -> Vec<(usize, Value)> {
        std::mem::take(&mut self.0)
    }
}

/// A member that the service assigns, under its own name.
fn assigned(name: &str) -> Option<&'static str> {
    [ID, RESSOURCE_URI].into_iter().find(|member| *member == name)
}

/// Whether a client sends back what it was given.
fn is_own(collection: &Collection, id: RecordId, member: &str, value: &RawValue) -> bool {
    if member == ID {
        return integer(value.get()) == Some(id.get());
    }
    text(value.get()).is_some_and(|given| given == representation::path(collection, id))
}

/// The JSON of a member of a body, shortened; `None` where there is no such member.
pub fn given(body: &[u8], name: &str) -> Option<String> {
    let members = Members::parse(body, &mut Collector::first()).ok()?;
    let (_, value) = members.0.iter().find(|(member, _)| member == name)?;
    Some(fault::shorten(value.get()))
}

/// The value of one member, if its field accepts it.
fn accept(field: &Field, value: &RawValue, faults: &mut Collector<DraftError>) -> Result<Value, DraftError> {
    let json = value.get();
    let parsed = match json {
        "null" => (!field.is_required()).then_some(Value::Null),
        _ => Value::from_json(field.kind(), json),
    };
    let parsed = parsed.ok_or_else(|| DraftError::DoesNotValidate(field.name().to_owned()));
    // What stands in for a value that is refused is seen by nobody.
    faults.accept(parsed, json).map(|value| value.unwrap_or(Value::Null))
}

/// The members of a body in the order given, each name once, values still as they were written:
/// `1.0` and `1` must be told apart, and no number may pass through a double.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    fn parse(body: &'a [u8], faults: &mut Collector<DraftError>) -> Result<Self, DraftError> {
        if BYTE_ORDER_MARKS.iter().any(|mark| body.starts_with(mark)) {
            return Err(DraftError::ByteOrderMark);
        }
        let text = std::str::from_utf8(body).map_err(|error| DraftError::NotUtf8(error.valid_up_to()))?;
        if text.trim_ascii().is_empty() {
            return Err(DraftError::Empty);
        }
        if is_too_deep(body) {
            return Err(DraftError::TooDeep);
        }
        let mut members: Members<'a> = serde_json::from_str(text).map_err(|error| {
            if error.is_data() { DraftError::NotAnObject } else { DraftError::NotJson(error.to_string()) }
        })?;
        let mut repeated = Vec::new();
        // Few names: comparing each with those before it beats a set, up to the point where a hostile
        // body would make it quadratic.
        let mut seen = (members.0.len() > 64).then(std::collections::HashSet::new);
        for (position, (name, _)) in members.0.iter().enumerate() {
            let is_new = match &mut seen {
                Some(seen) => seen.insert(name),
                None => members.0[..position].iter().all(|(earlier, _)| earlier != name),
            };
            if !is_new {
                faults.report(DraftError::GivenTwice(name.clone()), None)?;
                repeated.push(position);
            }
        }
        if !repeated.is_empty() {
            let mut position = 0..;
            members.0.retain(|_| repeated.binary_search(&position.next().unwrap_or_default()).is_err());
        }
        Ok(members)
    }

    /// The values in the order of the fields. What the service assigns is for `assign` to judge.
    fn of_fields(
        &self,
        collection: &Collection,
        faults: &mut Collector<DraftError>,
        assign: impl Fn(&'static str, &RawValue, &mut Collector<DraftError>) -> Result<(), DraftError>,
    ) -> Result<Vec<Option<&'a RawValue>>, DraftError> {
        let mut given = vec![None; collection.fields().len()];
        for (name, value) in &self.0 {
            match (assigned(name), collection.find_field(name)) {
                (Some(member), _) => assign(member, value, faults)?,
                (None, Some(position)) => given[position] = Some(*value),
                // Its value is not kept: it may be a secret that belongs elsewhere.
                (None, None) => faults.report(DraftError::UnknownField(name.clone()), None)?,
            }
        }
        Ok(given)
    }
}

impl<'a> Deserialize<'a> for Members<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'a> Visitor<'a> for Object {
            type Value = Members<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<Members<'a>, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Whether brackets nest deeper than [`DEEPEST`]; brackets inside strings do not count.
fn is_too_deep(body: &[u8]) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0usize, false, false);
    for &byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > DEEPEST {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests;
