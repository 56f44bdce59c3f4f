//! What an update changes, and what an upsert is given.

use serde_json::value::RawValue;

use super::earlier::Earlier;
use super::object::Members;
use super::{Draft, DraftError, accept, of_new};
use crate::catalog::collection::Collection;
use crate::catalog::name::ID;
use crate::record::fault::{self, Collector, Found};
use crate::record::value::{integer, text};
use crate::record::{RecordId, Value, representation};

/// The values to change, each with the position of its field, in the order of the fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Patch(pub(super) Vec<(usize, Value)>);

impl Patch {
    /// Judges the body of an update of the record `id`.
    pub fn parse(collection: &Collection, id: RecordId, body: &[u8]) -> Result<Self, DraftError> {
        Self::read(collection, Some(id), body, &mut Collector::first(), &mut Earlier::default())
    }

    /// Judges the same in an item of a batch; without an id, of a record that is not there yet.
    pub fn parse_item(
        collection: &Collection,
        id: Option<RecordId>,
        body: &[u8],
        earlier: &mut Earlier<'_>,
    ) -> Result<Self, DraftError> {
        Self::read(collection, id, body, &mut Collector::first(), earlier)
    }

    /// Judges the body of an upsert by the unique rule at this position: that of a create, of which it is remembered
    /// what was given, with a value in each field of the rule.
    pub fn parse_upsert(
        collection: &Collection,
        rule: usize,
        body: &[u8],
        earlier: &mut Earlier<'_>,
    ) -> Result<Self, DraftError> {
        let faults = &mut Collector::first();
        let values = of_new(collection, body, faults, earlier)?.enumerate();
        let given = values.filter_map(|(position, value)| Some((position, value.transpose()?)));
        let given = given.map(|(position, value)| value.map(|value| (position, value)));
        let mut patch = Self(given.collect::<Result<_, _>>()?);
        let rule = &collection.unique()[rule];
        patch.fill(collection, rule);
        match rule.iter().find(|&&position| *patch.value(position) == Value::Null) {
            Some(&position) => {
                let field = collection.fields()[position].name().to_owned();
                Err(DraftError::NoValue { field, rule: collection.rule_name(rule) })
            }
            None => Ok(patch),
        }
    }

    /// All faults of a body that [`Patch::parse`] refuses.
    pub fn faults(collection: &Collection, id: RecordId, body: &[u8]) -> Found<DraftError> {
        fault::collect(|faults| Self::read(collection, Some(id), body, faults, &mut Earlier::default()))
    }

    fn read(
        collection: &Collection,
        id: Option<RecordId>,
        body: &[u8],
        faults: &mut Collector<DraftError>,
        earlier: &mut Earlier<'_>,
    ) -> Result<Self, DraftError> {
        let members = Members::parse(body, faults)?;
        let given = members.of_fields(collection, faults, |member, value, faults| {
            if id.is_some_and(|id| is_own(collection, id, member, value)) {
                return Ok(());
            }
            faults.report(DraftError::CannotBeChanged(member), Some(value.get()))
        })?;
        let values = collection.fields().iter().zip(given).enumerate();
        let values = values.filter_map(|(position, (field, value))| {
            let accepted = accept((position, field), value?, faults, earlier);
            Some(accepted.map(|value| (position, value)))
        });
        values.collect::<Result<_, _>>().map(Self)
    }

    /// A change to these values, which are in the order of the fields and known to fit them.
    pub fn of(values: Vec<(usize, Value)>) -> Self {
        Self(values)
    }

    /// The values to change, each with the position of its field.
    pub fn values(&self) -> &[(usize, Value)] {
        &self.0
    }

    /// What the field at this position is to hold; nothing where it is not named.
    pub fn value(&self, field: usize) -> &Value {
        let given = self.0.iter().find(|(position, _)| *position == field);
        given.map_or(&Value::Null, |(_, value)| value)
    }

    /// Puts another value into the field at this position, where the patch changes it.
    pub fn set(&mut self, field: usize, value: Value) {
        if let Some((_, given)) = self.0.iter_mut().find(|(position, _)| *position == field) {
            *given = value;
        }
    }

    /// The same without the fields at these positions, as long as anything is left.
    pub fn without(mut self, fields: &[usize]) -> Self {
        if self.0.iter().any(|(position, _)| !fields.contains(position)) {
            self.0.retain(|(position, _)| !fields.contains(position));
        }
        self
    }

    /// Gives those of these fields that are left out what a create would give them.
    fn fill(&mut self, collection: &Collection, fields: &[usize]) {
        for &position in fields {
            let field = &collection.fields()[position];
            if field.default().is_some() && self.0.iter().all(|(given, _)| *given != position) {
                self.0.push((position, Value::default_of(field)));
            }
        }
        self.0.sort_by_key(|(position, _)| *position);
    }

    /// A new record of these values, and of the defaults of the other fields.
    pub fn into_draft(self, collection: &Collection) -> Draft {
        let mut values: Vec<Value> = collection.fields().iter().map(Value::default_of).collect();
        for (position, value) in self.0 {
            values[position] = value;
        }
        Draft::of(values)
    }
}

/// Whether a client sends back what it was given.
fn is_own(collection: &Collection, id: RecordId, member: &str, value: &RawValue) -> bool {
    if member == ID {
        return integer(value.get()) == Some(id.get());
    }
    text(value.get()).and_then(|path| representation::id_of(collection, &path)) == Some(id)
}
