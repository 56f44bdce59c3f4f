//! Reads the query of a list, one parameter after the other.

use super::{
    Column, Condition, Filter, Given, Listing, ListingError, Operator, Search, Sort, Sorting, Window,
};
use crate::catalog::collection::{Collection, Pagination};
use crate::catalog::control::Control;
use crate::record::cursor::{After, Cursor};
use crate::record::expansion::Expansion;
use crate::record::fault::Collector;
use crate::record::projection::Projection;
use crate::record::value::integer;

/// What was read so far.
///
/// What stands in for a value that is refused is seen by nobody; it only says that one was given.
pub(super) struct Reader<'a> {
    collection: &'a Collection,
    faults: &'a mut Collector<ListingError>,
    filters: Vec<Filter>,
    /// How many texts of filters there were.
    texts: usize,
    offset: Option<i64>,
    count: Option<u64>,
    given: Given,
    /// `None` where it was refused: no cursor can be compared with it.
    sort: Option<Sort>,
    projection: Option<Projection>,
    expansion: Option<Expansion>,
    cursor: Option<Cursor>,
}

/// What a name means in the query of a collection.
enum Parameter<'a> {
    Offset,
    Count(&'a Pagination),
    Filter(Column, Operator),
    Control(Control),
}

impl<'a> Reader<'a> {
    pub(super) fn new(collection: &'a Collection, faults: &'a mut Collector<ListingError>) -> Self {
        Self {
            collection,
            faults,
            filters: Vec::new(),
            texts: 0,
            offset: None,
            count: None,
            given: Given::default(),
            sort: Some(Sort::default()),
            projection: None,
            expansion: None,
            cursor: None,
        }
    }

    pub(super) fn read(&mut self, name: &str, text: &str) -> Result<(), ListingError> {
        let parameter = match parameter(self.collection, name) {
            Ok(parameter) => parameter,
            // Its value is not kept: it may be a secret under a misspelt name.
            Err(error) => return self.faults.report(error, None),
        };
        if self.is_given(&parameter) {
            return self.faults.report(ListingError::GivenTwice(name.to_owned()), None);
        }
        match parameter {
            Parameter::Offset => {
                let offset = integer(text).filter(|offset| *offset >= 0);
                let offset = offset.ok_or_else(|| ListingError::DoesNotValidate(name.to_owned()));
                self.offset = Some(self.faults.accept(offset, text)?.unwrap_or(0));
            }
            Parameter::Count(pagination) => {
                let count = self.faults.accept(page_length(pagination, text), text)?;
                self.count = Some(count.unwrap_or(pagination.page_size));
            }
            Parameter::Filter(on, operator) => self.filter(on, operator, name, text)?,
            Parameter::Control(Control::Search) => self.search(name, text)?,
            Parameter::Control(Control::Sort) => {
                self.sort = self.faults.accept(Sort::parse(self.collection, name, text), text)?;
                self.given.sort = Some((name.to_owned(), text.to_owned()));
            }
            Parameter::Control(Control::Fields) => {
                self.projection = self.faults.accept(Projection::parse(self.collection, name, text), text)?;
                self.given.fields = Some((name.to_owned(), text.to_owned()));
            }
            Parameter::Control(Control::Expand) => {
                self.expansion = self.faults.accept(Expansion::parse(self.collection, name, text), text)?;
                self.given.expand = Some((name.to_owned(), text.to_owned()));
            }
            Parameter::Control(Control::After) => {
                if !text.is_empty() {
                    let cursor = Cursor::parse(text);
                    let cursor = cursor.ok_or_else(|| ListingError::DoesNotValidate(name.to_owned()));
                    self.cursor = self.faults.accept(cursor, text)?;
                }
                self.given.after = Some(name.to_owned());
            }
        }
        Ok(())
    }

    fn is_given(&self, parameter: &Parameter<'_>) -> bool {
        match parameter {
            Parameter::Offset => self.offset.is_some(),
            Parameter::Count(_) => self.count.is_some(),
            Parameter::Filter(_, Operator::In) => false,
            Parameter::Filter(on, operator) => {
                self.filters.iter().any(|filter| filter.on == *on && filter.operator == *operator)
            }
            Parameter::Control(Control::Search) => {
                self.filters.iter().any(|filter| filter.on == Column::Words)
            }
            Parameter::Control(Control::Sort) => self.given.sort.is_some(),
            Parameter::Control(Control::Fields) => self.given.fields.is_some(),
            Parameter::Control(Control::Expand) => self.given.expand.is_some(),
            Parameter::Control(Control::After) => self.given.after.is_some(),
        }
    }

    fn filter(&mut self, on: Column, operator: Operator, name: &str, text: &str) -> Result<(), ListingError> {
        let condition = operator.condition(self.collection, on, name, text);
        let condition = self.faults.accept(condition, text)?.unwrap_or(Condition::Never);
        let condition = if operator == Operator::In {
            let mut earlier = self.filters.iter_mut().filter(|filter| filter.operator == Operator::In);
            if let Some(filter) = earlier.find(|filter| filter.on == on)
                && let Condition::Any(conditions) = &mut filter.condition
            {
                conditions.push(condition);
                filter.others.push((self.texts, text.to_owned()));
                self.texts += 1;
                return Ok(());
            }
            Condition::Any(vec![condition])
        } else {
            condition
        };
        self.push(on, operator, condition, name, text);
        Ok(())
    }

    fn push(&mut self, on: Column, operator: Operator, condition: Condition, name: &str, text: &str) {
        let (name, text, others) = (name.to_owned(), text.to_owned(), Vec::new());
        self.filters.push(Filter { on, operator, condition, name, text, others });
        self.texts += 1;
    }

    fn search(&mut self, name: &str, text: &str) -> Result<(), ListingError> {
        let condition = self.faults.accept(Search::parse(name, text), text)?;
        if condition.is_none() && self.given.sort.is_none() {
            // It would have been sorted by what was refused.
            self.sort = None;
        }
        let condition = condition.map_or(Condition::Never, Condition::Search);
        self.push(Column::Words, Operator::Equals, condition, name, text);
        Ok(())
    }

    /// The listing. What parameters are to each other is judged at the end.
    pub(super) fn finish(self) -> Result<Listing, ListingError> {
        let Self { collection, faults, given, sort, .. } = self;
        if let (Some(after), Some(_), Some(pagination)) = (&given.after, self.offset, collection.pagination())
        {
            let (after, offset) = (after.clone(), pagination.offset_key.clone());
            faults.report(ListingError::AfterBesideOffset { after, offset }, None)?;
        }
        let mut after = given.after.as_ref().map(|_| After::Start);
        if let (Some(cursor), Some(sort), Some(name)) = (self.cursor, &sort, &given.after) {
            match cursor.place(collection, Sorting::of(sort, &given, &self.filters)) {
                Some(place) => after = Some(After::Place(place)),
                None => faults.report(ListingError::DoesNotValidate(name.clone()), None)?,
            }
        }
        let window = collection.pagination().map(|pagination| Window {
            offset: self.offset.unwrap_or(0),
            count: self.count.unwrap_or(pagination.page_size),
            count_was_given: self.count.is_some(),
        });
        Ok(Listing {
            filters: self.filters,
            sort: sort.unwrap_or_default(),
            after,
            projection: self.projection,
            expansion: self.expansion,
            window,
            given,
        })
    }
}

/// What a name means in this collection. The catalog saw to it that no name means two things.
fn parameter<'a>(collection: &'a Collection, name: &str) -> Result<Parameter<'a>, ListingError> {
    if let Some(pagination) = collection.pagination() {
        if name == pagination.offset_key {
            return Ok(Parameter::Offset);
        }
        if name == pagination.count_key {
            return Ok(Parameter::Count(pagination));
        }
    }
    if let Some(on) = Column::find(collection, name) {
        return Ok(Parameter::Filter(on, Operator::Equals));
    }
    if let Some(control) = Control::of(collection, name) {
        return Ok(Parameter::Control(control));
    }
    let unknown = || ListingError::UnknownParameter(name.to_owned());
    let (field, operator) = name.split_once('.').ok_or_else(unknown)?;
    let on = Column::find(collection, field).ok_or_else(unknown)?;
    let mut operators = Operator::of(collection, on);
    match operators.find(|named| named.name() == operator) {
        Some(operator) => Ok(Parameter::Filter(on, operator)),
        None => Err(ListingError::NotAFilter {
            name: name.to_owned(),
            field: field.to_owned(),
            takes: Operator::of(collection, on).collect(),
        }),
    }
}

fn page_length(pagination: &Pagination, text: &str) -> Result<u64, ListingError> {
    let length = integer(text).and_then(|length| u64::try_from(length).ok());
    length.filter(|length| (1..=pagination.page_size).contains(length)).ok_or_else(|| {
        ListingError::CountOutOfRange { name: pagination.count_key.clone(), limit: pagination.page_size }
    })
}
