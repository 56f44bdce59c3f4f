//! The order of a list: by up to three fields, at last by id.

use super::{ListingError, NamesError};
use crate::catalog::collection::Collection;
use crate::catalog::name::ID;

/// The most names of a sort.
pub const MOST_NAMES: usize = 3;

/// In which order records are listed. Every way to write the same order is the same value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sort {
    /// Positions; records that are equal in one are ordered by the next.
    pub fields: Vec<(usize, Direction)>,
    /// Those that are equal in all: in the direction of the last name that is given.
    pub ids: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Ascending,
    Descending,
}

/// Ids ascending.
impl Default for Sort {
    fn default() -> Self {
        Self { fields: Vec::new(), ids: Direction::Ascending }
    }
}

impl Sort {
    /// Reads `last_name,-number`; `parameter` is the name under which it was given.
    pub(super) fn parse(collection: &Collection, parameter: &str, text: &str) -> Result<Self, ListingError> {
        let refuse = |reason| ListingError::Names { parameter: parameter.to_owned(), reason };
        let names = text.split(',').map(|name| match name.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (name, Direction::Ascending),
        });
        if names.clone().count() > MOST_NAMES || names.clone().any(|(name, _)| name.is_empty()) {
            return Err(refuse(NamesError::NotOneToThree));
        }
        let (mut fields, mut ids, mut names_id) = (Vec::new(), Direction::Ascending, false);
        for (at, (name, direction)) in names.clone().enumerate() {
            let field = collection.find_field(name);
            if field.is_none() && name != ID {
                return Err(refuse(NamesError::Unknown(name.to_owned())));
            }
            if names.clone().take(at).any(|(earlier, _)| earlier == name) {
                return Err(refuse(NamesError::Twice(name.to_owned())));
            }
            // No two records have the same id: nothing behind it orders anything.
            if names_id {
                continue;
            }
            match field {
                Some(position) => fields.push((position, direction)),
                None => names_id = true,
            }
            ids = direction;
        }
        Ok(Self { fields, ids })
    }

    /// How it is written in full, for what must be the same on every node: cursors.
    pub fn text(&self, collection: &Collection) -> String {
        let names = self.names(collection);
        let ids = if self.ids == Direction::Descending { "-id" } else { "id" };
        if names.is_empty() { ids.to_owned() } else { format!("{names},{ids}") }
    }

    /// The names of its fields as a request writes them, without the id at the end: for messages.
    pub fn names(&self, collection: &Collection) -> String {
        let names = self.fields.iter().map(|(position, direction)| {
            let sign = if *direction == Direction::Descending { "-" } else { "" };
            format!("{sign}{}", collection.fields()[*position].name())
        });
        names.collect::<Vec<_>>().join(",")
    }
}
