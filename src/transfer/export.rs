//! An export: which records of a collection, and in which form.

use std::borrow::Cow;
use std::sync::Arc;

use super::csv::write::Dialect;
use super::format::{Choice, Format};
use super::jsonl;
use super::vcard::{VcardMapping, VcardWriter, Version};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;
use crate::catalog::field::Field;
use crate::catalog::name::ID;
use crate::record::expansion::Expansion;
use crate::record::fault::{self, Collector, Found};
use crate::record::listing::{Filter, Listing, ListingError};
use crate::record::value::Cell;
use crate::store::StoreId;
use crate::store::extract::{Extract, Form};

/// Texts of a query, by their names.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// What to export, and how.
#[derive(Debug, Clone)]
pub struct Export {
    /// By position.
    collection: usize,
    pub format: Format,
    filters: Vec<Filter>,
    expansion: Option<Expansion>,
    dialect: Dialect,
    version: Version,
}

impl Export {
    /// Understands the query of an export: the filters of a list, and what is said of the form.
    pub fn parse<'a>(
        collection: &Collection,
        format: Format,
        pairs: impl Iterator<Item = &'a Pair<'a>>,
    ) -> Result<Self, ListingError> {
        Self::read(collection, format, pairs, &mut Collector::first())
    }

    /// All faults of a query that [`Export::parse`] refuses.
    pub fn faults<'a>(
        collection: &Collection,
        format: Format,
        pairs: impl Iterator<Item = &'a Pair<'a>>,
    ) -> Found<ListingError> {
        fault::collect(|faults| Self::read(collection, format, pairs, faults))
    }

    fn read<'a>(
        collection: &Collection,
        format: Format,
        pairs: impl Iterator<Item = &'a Pair<'a>>,
        faults: &mut Collector<ListingError>,
    ) -> Result<Self, ListingError> {
        let (mut dialect, mut version) = (Dialect::Exact, Version::V3);
        let (mut chosen, mut rest) = (Vec::new(), Vec::new());
        for pair in pairs {
            let (name, text) = pair;
            let Some(choice) = Choice::find(collection, format, name) else {
                match is_of_lists(collection, format, name) {
                    true => faults.report(ListingError::UnknownParameter(name.to_string()), None)?,
                    false => rest.push(pair),
                }
                continue;
            };
            if chosen.contains(&choice) {
                faults.report(ListingError::GivenTwice(name.to_string()), None)?;
                continue;
            }
            chosen.push(choice);
            let refused = || ListingError::DoesNotValidate(name.to_string());
            match choice {
                Choice::Spreadsheet => {
                    let read = Dialect::parse(text).ok_or_else(refused);
                    dialect = faults.accept(read, text)?.unwrap_or(dialect);
                }
                Choice::Vcard => {
                    let read = Version::parse(text).ok_or_else(refused);
                    version = faults.accept(read, text)?.unwrap_or(version);
                }
            }
        }
        let Listing { filters, expansion, .. } = Listing::read(collection, rest.into_iter(), faults)?;
        Ok(Self { collection: collection.position(), format, filters, expansion, dialect, version })
    }

    /// The names of its filters, as they were given.
    pub fn filter_names(&self) -> Vec<String> {
        self.filters.iter().map(|filter| filter.name.clone()).collect()
    }

    /// Which records are read.
    pub fn extract(&self, catalog: &Arc<Catalog>) -> Extract {
        let followed = match self.format.follows(catalog, catalog.at(self.collection)) {
            Some(position) => vec![position],
            None => self.expansion.as_ref().map(|expansion| expansion.fields.clone()).unwrap_or_default(),
        };
        let (collection, filters) = (self.collection, self.filters.clone());
        Extract { catalog: catalog.clone(), collection, filters, followed }
    }

    /// What the file begins with, and what is made of each record. Cards name their store: `None` where it has no id yet.
    pub fn form(&self, catalog: &Arc<Catalog>, store: Option<StoreId>) -> Option<(Vec<u8>, Form)> {
        let (catalog, position, dialect) = (catalog.clone(), self.collection, self.dialect);
        let expansion = self.expansion.clone();
        match self.format {
            Format::Vcard => {
                let (mapping, version) = (VcardMapping::of(&catalog, catalog.at(position)), self.version);
                let store = store?;
                let form: Form = Box::new(move |row, out| {
                    let address = row.referred.first().and_then(|referred| *referred);
                    let writer = VcardWriter { mapping: &mapping, version, store };
                    writer.write(out, row.id, row.fields, address.map(|(_, fields)| fields));
                });
                Some((Vec::new(), form))
            }
            Format::Jsonl => {
                let form: Form = Box::new(move |row, out| {
                    jsonl::line(&catalog, catalog.at(position), expansion.as_ref(), row, out);
                });
                Some((Vec::new(), form))
            }
            Format::Csv => {
                let columns = columns(&catalog, catalog.at(position), expansion.as_ref());
                let mut head = Vec::new();
                dialect.header(columns.iter().map(|(name, _)| name.as_str()), &mut head);
                let form: Form = Box::new(move |row, out| {
                    let cells = columns.iter().map(|(_, column)| match *column {
                        Column::Id => Cell::from(row.id.get()),
                        Column::Field(position) => row.fields[position],
                        Column::Part { reference, field } => {
                            row.referred[reference].map_or(Cell::Null, |(_, fields)| fields[field])
                        }
                    });
                    dialect.line(cells, out);
                });
                Some((head, form))
            }
        }
    }
}

/// Whether a parameter is only for lists: an export has no pages, and what a card shows is not chosen.
fn is_of_lists(collection: &Collection, format: Format, name: &str) -> bool {
    let pagination = collection.pagination();
    let is_window = pagination.is_some_and(|it| name == it.offset_key || name == it.count_key);
    is_window || Control::of(collection, name).is_some_and(|control| !format.takes(control))
}

/// What a cell of a line holds.
enum Column {
    Id,
    /// By position.
    Field(usize),
    /// A field of what the so many-th followed reference leads to.
    Part {
        reference: usize,
        field: usize,
    },
}

/// The columns and their names: the id and all fields; where a reference is followed, the fields that it leads to.
fn columns(
    catalog: &Catalog,
    collection: &Collection,
    expansion: Option<&Expansion>,
) -> Vec<(String, Column)> {
    let followed = expansion.map(|expansion| &expansion.fields[..]).unwrap_or_default();
    let mut columns = vec![(ID.to_owned(), Column::Id)];
    for (position, field) in collection.fields().iter().enumerate() {
        match (followed.iter().position(|one| *one == position), field.reference()) {
            (Some(reference), Some(to)) => {
                let fields = catalog.at(to.target).fields().iter().enumerate();
                let part = |(at, part): (usize, &Field)| {
                    let name = format!("{}.{}", field.name(), part.name());
                    (name, Column::Part { reference, field: at })
                };
                columns.extend(fields.map(part));
            }
            _ => columns.push((field.name().to_owned(), Column::Field(position))),
        }
    }
    columns
}
