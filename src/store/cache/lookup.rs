//! What a list asks for, as something that memory may know.

use super::sets::SetKey;
use super::term::Term;
use crate::catalog::collection::Collection;
use crate::record::listing::{Column, Filter};

/// What a list asks for.
pub(in crate::store) enum Lookup {
    Set(SetKey),
    OneId,
    Nothing,
}

impl SetKey {
    pub(in crate::store) fn of(collection: &Collection, filters: &[Filter]) -> Lookup {
        let mut asked: Vec<(usize, Term)> = Vec::with_capacity(filters.len());
        for Filter { on, condition, .. } in filters {
            let Some(term) = Term::asked(condition) else { return Lookup::Nothing };
            match on {
                Column::Id => return Lookup::OneId,
                Column::Field(position) => asked.push((*position, term)),
            }
        }
        asked.sort_by_key(|(position, _)| *position);
        let (fields, terms) = asked.into_iter().unzip();
        Lookup::Set(SetKey { collection: collection.position(), fields, terms })
    }
}
