//! What to show of one record (`fields`, `expand`), understood from the query of a fetch.

use std::borrow::Cow;

use super::expansion::Expansion;
use super::fault::{self, Collector, Found};
use super::listing::ListingError;
use super::projection::Projection;
use crate::catalog::collection::Collection;
use crate::catalog::control::Control;

/// What to show of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetching {
    /// `None`: all of it.
    pub projection: Option<Projection>,
    /// Which records that it refers to are shown with it.
    pub expansion: Option<Expansion>,
}

impl Fetching {
    /// Understands the query of a fetch, whose other parameters mean nothing.
    pub fn parse<'a>(
        collection: &Collection,
        pairs: impl Iterator<Item = &'a (Cow<'a, str>, Cow<'a, str>)>,
    ) -> Result<Self, ListingError> {
        Self::read(collection, pairs, &mut Collector::first())
    }

    /// All faults of a query that [`Fetching::parse`] refuses.
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
        let (mut fetching, mut given) = (Self::default(), Vec::new());
        for (name, text) in pairs {
            let Some(control @ (Control::Fields | Control::Expand)) = Control::of(collection, name) else {
                continue;
            };
            if given.contains(&control) {
                faults.report(ListingError::GivenTwice(name.to_string()), None)?;
                continue;
            }
            given.push(control);
            if control == Control::Fields {
                let projection = Projection::parse(collection, name, text);
                fetching.projection = faults.accept(projection, text)?;
            } else {
                fetching.expansion = faults.accept(Expansion::parse(collection, name, text), text)?;
            }
        }
        Ok(fetching)
    }
}
