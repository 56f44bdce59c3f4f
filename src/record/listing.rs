//! What to list: filters, an order, a window and what is shown, understood from the query.

pub mod condition;
pub mod operator;
mod reader;
pub mod search;
pub mod sort;
#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;

pub use condition::Condition;
pub use operator::Operator;
pub use search::Search;
pub use sort::Sort;

use super::cursor::After;
use super::expansion::Expansion;
use super::fault::{self, Collector, Found};
use super::projection::Projection;
use super::{RecordId, Value};
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;
use crate::catalog::field::{Field, FieldKind};
use crate::catalog::name::ID;
use crate::catalog::rule::Mismatch;
use reader::Reader;

/// Which records to list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// In the order of the query; a record must match all of them.
    pub filters: Vec<Filter>,
    pub sort: Sort,
    /// The list is walked by cursors: the offset of the window does not count.
    pub after: Option<After>,
    /// What is shown of each record; `None`: all of it.
    pub projection: Option<Projection>,
    /// Which records that each refers to are shown with it.
    pub expansion: Option<Expansion>,
    /// `None` where the collection is not cut into pages.
    pub window: Option<Window>,
    pub given: Given,
}

/// What a list is sorted by: where a cursor stands means something only in the same sorting.
#[derive(Debug, Clone, Copy)]
pub struct Sorting<'a> {
    pub sort: &'a Sort,
    /// The search of a list without a sort: what it finds whole comes first.
    pub search: Option<&'a Search>,
}

impl<'a> Sorting<'a> {
    fn of(sort: &'a Sort, given: &Given, filters: &'a [Filter]) -> Self {
        let search = filters.iter().find_map(|filter| match &filter.condition {
            Condition::Search(search) if given.sort.is_none() => Some(search),
            _ => None,
        });
        Self { sort, search }
    }

    /// How it is named.
    pub fn text(&self, collection: &Collection) -> String {
        match self.search {
            Some(search) => format!("{}={}", Control::Search.name(), search.words.join(" ")),
            None => self.sort.text(collection),
        }
    }

    /// Whether records stand in it by something besides their ids.
    pub fn has_keys(&self) -> bool {
        self.search.is_some() || !self.sort.fields.is_empty()
    }
}

/// One filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    pub on: Column,
    pub operator: Operator,
    pub condition: Condition,
    /// The parameter's name and text as they were given, for `meta` and `Link`.
    pub name: String,
    pub text: String,
    /// The texts of the same parameter behind the first, each with its place among those of all filters: `in` may be
    /// repeated.
    pub others: Vec<(usize, String)>,
}

impl Filter {
    /// Every text that was given.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.text).chain(self.others.iter().map(|(_, text)| text)).map(String::as_str)
    }
}

/// The parameters that are no filters, as they were given: `Link` repeats them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Name and text.
    pub sort: Option<(String, String)>,
    /// Name and text.
    pub fields: Option<(String, String)>,
    /// Name and text.
    pub expand: Option<(String, String)>,
    /// The name; another page has another text.
    pub after: Option<String>,
}

/// What a filter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    Id,
    /// The field at this position.
    Field(usize),
    /// The words of all fields that are searchable.
    Words,
}

impl Column {
    pub fn find(collection: &Collection, name: &str) -> Option<Self> {
        if name == ID { Some(Self::Id) } else { collection.find_field(name).map(Self::Field) }
    }

    /// The kind of its values, and whether each record has one.
    pub fn kind(self, collection: &Collection) -> (FieldKind, bool) {
        match self {
            Self::Id => (FieldKind::OF_IDS, true),
            Self::Words => (FieldKind::String, true),
            Self::Field(position) => {
                let field = &collection.fields()[position];
                (field.kind(), field.is_required())
            }
        }
    }

    /// The field that it is.
    pub fn field(self, collection: &Collection) -> Option<&Field> {
        if let Self::Field(position) = self { collection.fields().get(position) } else { None }
    }
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
    /// A field with an operator that there is not, or not for its values.
    NotAFilter {
        name: String,
        field: String,
        takes: Vec<Operator>,
    },
    GivenTwice(String),
    DoesNotValidate(String),
    /// A text that no value of the field is, and why.
    Refused {
        name: String,
        why: Mismatch,
    },
    /// A text of `prefix` or `contains` that is too short or too long.
    PartOutOfRange(String),
    /// A search of no words, or too many, or too many characters.
    SearchOutOfRange(String),
    /// A list of names, as `sort`, `fields` and `expand` take one, that is none.
    Names {
        parameter: String,
        reason: NamesError,
    },
    /// A page length outside what the configuration allows.
    CountOutOfRange {
        name: String,
        limit: u64,
    },
    /// A cursor beside an offset, by the names that they were given under.
    AfterBesideOffset {
        after: String,
        offset: String,
    },
}

/// Why a list of names is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamesError {
    None,
    NotOneToThree,
    Unknown(String),
    Twice(String),
    /// A field that refers to nothing.
    NoReference(String),
    /// A collection whose records cannot be fetched.
    NotFetched(String),
}

impl Listing {
    /// Understands the query of a list, without the parameters that carry an access key.
    ///
    /// Faults are reported in the order of the query, those between parameters at the end.
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

    /// What it is sorted by.
    pub fn sorting(&self) -> Sorting<'_> {
        Sorting::of(&self.sort, &self.given, &self.filters)
    }

    /// Name and text of all filters, in the order of the query.
    pub fn given_filters(&self) -> Vec<(&str, &str)> {
        let mut given: Vec<_> = self.filters.iter().map(|filter| (&*filter.name, &*filter.text)).collect();
        let others =
            self.filters.iter().flat_map(|filter| filter.others.iter().map(move |text| (text, filter)));
        let mut others: Vec<_> = others.collect();
        others.sort_unstable_by_key(|((place, _), _)| *place);
        others.into_iter().for_each(|((place, text), filter)| given.insert(*place, (&*filter.name, text)));
        given
    }

    /// The list of one record, shown with what it refers to.
    pub fn of_record(id: RecordId, expansion: Expansion) -> Self {
        let by_id = Filter {
            on: Column::Id,
            operator: Operator::Equals,
            condition: Condition::Equals(Value::Integer(id.get())),
            name: ID.to_owned(),
            text: id.to_string(),
            others: Vec::new(),
        };
        Self {
            filters: vec![by_id],
            sort: Sort::default(),
            after: None,
            projection: None,
            expansion: Some(expansion),
            window: Some(Window { offset: 0, count: 1, count_was_given: false }),
            given: Given::default(),
        }
    }

    /// [`Listing::parse`], or [`Listing::faults`].
    pub fn read<'a>(
        collection: &Collection,
        pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
        faults: &mut Collector<ListingError>,
    ) -> Result<Self, ListingError> {
        let mut reader = Reader::new(collection, faults);
        for (name, text) in pairs {
            reader.read(name, text)?;
        }
        reader.finish()
    }
}
