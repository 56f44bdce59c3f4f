//! What to list: equality filters and a window, understood from the query.

use std::borrow::Cow;

use super::Value;
use super::fault::{self, Collector, Found};
use super::value::integer;
use crate::catalog::collection::{Collection, Pagination};
use crate::catalog::field::FieldKind;
use crate::catalog::name::ID;

/// Which records to list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// In the order of the query; a record must match all of them.
    pub filters: Vec<Filter>,
    /// `None` where the collection is not cut into pages.
    pub window: Option<Window>,
}

/// One equality filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    pub on: Column,
    pub condition: Condition,
    /// The parameter's name and text as they were given, for `meta` and `Link`.
    pub name: String,
    pub text: String,
}

/// What a filter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    Id,
    /// The field at this position.
    Field(usize),
}

/// When a value matches.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    Equals(Value),
    /// There is no value.
    Absent,
    /// There is no value, or it is the empty string.
    AbsentOrEmpty,
    /// No record can match.
    Never,
}

/// The part of the list that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub offset: i64,
    /// The configured page size, or what the request asked for.
    pub count: u64,
    pub count_was_given: bool,
}

/// Why a query is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListingError {
    UnknownParameter(String),
    GivenTwice(String),
    DoesNotValidate(String),
    /// A page length outside what the configuration allows.
    CountOutOfRange {
        name: String,
        limit: u64,
    },
}

impl Listing {
    /// Understands the query of a list, without the parameters that carry an access key.
    ///
    /// Faults are reported in the order of the query.
    pub fn parse<'a>(
        collection: &Collection,
        pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
    ) -> Result<Self, ListingError> {
        Self::read(collection, pairs, &mut Collector::first())
    }

    /// All faults of a query that [`Listing::parse`] refuses.
    pub fn faults<'a>(
        collection: &Collection,
        pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
    ) -> Found<ListingError> {
        fault::collect(|faults| Self::read(collection, pairs, faults))
    }

    fn read<'a>(
        collection: &Collection,
        pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
        faults: &mut Collector<ListingError>,
    ) -> Result<Self, ListingError> {
        let mut filters: Vec<Filter> = Vec::new();
        let (mut offset, mut count) = (None, None);
        for (name, text) in pairs {
            let does_not_validate = || ListingError::DoesNotValidate(name.to_string());
            let twice = || ListingError::GivenTwice(name.to_string());
            // What stands in for a value that is refused is seen by nobody; it only says that one was given.
            match parameter(collection, name) {
                Some(Parameter::Offset) if offset.is_some() => faults.report(twice(), None)?,
                Some(Parameter::Offset) => {
                    let given = integer(text).filter(|offset| *offset >= 0).ok_or_else(does_not_validate);
                    offset = Some(faults.accept(given, text)?.unwrap_or(0));
                }
                Some(Parameter::Count(_)) if count.is_some() => faults.report(twice(), None)?,
                Some(Parameter::Count(pagination)) => {
                    let given = faults.accept(page_length(pagination, text), text)?;
                    count = Some(given.unwrap_or(pagination.page_size));
                }
                Some(Parameter::Filter(on)) if filters.iter().any(|filter| filter.on == on) => {
                    faults.report(twice(), None)?;
                }
                Some(Parameter::Filter(on)) => {
                    let given = condition(collection, on, text).ok_or_else(does_not_validate);
                    let condition = faults.accept(given, text)?.unwrap_or(Condition::Never);
                    filters.push(Filter { on, condition, name: name.to_string(), text: text.to_string() });
                }
                // Its value is not kept: it may be a secret under a misspelt name.
                None => faults.report(ListingError::UnknownParameter(name.to_string()), None)?,
            }
        }
        let window = collection.pagination().map(|pagination| Window {
            offset: offset.unwrap_or(0),
            count: count.unwrap_or(pagination.page_size),
            count_was_given: count.is_some(),
        });
        Ok(Self { filters, window })
    }
}

enum Parameter<'a> {
    Offset,
    Count(&'a Pagination),
    Filter(Column),
}

/// What a name means in the query of this collection. The catalog saw to it that no name means two things.
fn parameter<'a>(collection: &'a Collection, name: &str) -> Option<Parameter<'a>> {
    if let Some(pagination) = collection.pagination() {
        if name == pagination.offset_key {
            return Some(Parameter::Offset);
        }
        if name == pagination.count_key {
            return Some(Parameter::Count(pagination));
        }
    }
    if name == ID {
        return Some(Parameter::Filter(Column::Id));
    }
    collection.find_field(name).map(|position| Parameter::Filter(Column::Field(position)))
}

fn page_length(pagination: &Pagination, text: &str) -> Result<u64, ListingError> {
    let length = integer(text).and_then(|length| u64::try_from(length).ok());
    length.filter(|length| (1..=pagination.page_size).contains(length)).ok_or_else(|| {
        ListingError::CountOutOfRange { name: pagination.count_key.clone(), limit: pagination.page_size }
    })
}

/// `None` when no value of the field could be written like this: a typo should be heard.
fn condition(collection: &Collection, on: Column, text: &str) -> Option<Condition> {
    let (kind, is_required) = match on {
        Column::Id => (FieldKind::OF_IDS, true),
        Column::Field(position) => {
            let field = &collection.fields()[position];
            (field.kind(), field.is_required())
        }
    };
    let equals = Value::from_query(kind, text).map(Condition::Equals);
    if !text.is_empty() {
        return equals;
    }
    Some(match (equals, is_required) {
        (Some(equals_empty), true) => equals_empty,
        (Some(_), false) => Condition::AbsentOrEmpty,
        (None, true) => Condition::Never,
        (None, false) => Condition::Absent,
    })
}
