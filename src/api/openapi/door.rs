//! Who is let in by an operation on records, and whether they are counted.

use crate::catalog::Catalog;
use crate::catalog::collection::{Admission, Collection, Verb};
use crate::catalog::field::Field;

/// What holds for an operation: records of other collections may be shown by it, too (`expand`).
#[derive(Clone, Copy)]
pub(super) struct Door {
    /// Nobody is refused for what only other collections demand.
    pub(super) admission: Admission,
    pub(super) strictest: Admission,
    pub(super) is_limited: bool,
}

impl Door {
    pub(super) fn of(catalog: &Catalog, collection: &Collection, verb: Verb) -> Self {
        let is_read = |field: &&Field| verb == Verb::Get && field.is_expandable();
        let references = collection.fields().iter().filter(is_read).filter_map(Field::reference);
        let mut door = Self {
            admission: collection.admission(),
            strictest: collection.admission(),
            is_limited: collection.rate_limit().is_some(),
        };
        for shown in references.map(|reference| catalog.at(reference.target)) {
            door.strictest = door.strictest.max(shown.admission());
            door.is_limited |= shown.rate_limit().is_some();
        }
        if door.admission == Admission::Open && door.strictest != Admission::Open {
            door.admission = Admission::Identified;
        }
        door
    }
}
