//! A record that a commit has changed, as sets and orders look at it: its texts are folded once for all of them.

use std::cell::OnceCell;

use super::set_key::Probes;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::change::Change;

/// A change, and the record before and after it once somebody has looked.
pub(super) struct Changed<'a> {
    pub(super) collection: &'a Collection,
    pub(super) change: &'a Change,
    before: OnceCell<Option<Probes<'a>>>,
    after: OnceCell<Option<Probes<'a>>>,
}

impl<'a> Changed<'a> {
    /// The changes of one commit.
    pub(super) fn all(catalog: &'a Catalog, changes: &'a [Change]) -> Vec<Self> {
        let of_each = |change: &'a Change| Self {
            collection: catalog.at(change.collection),
            change,
            before: OnceCell::new(),
            after: OnceCell::new(),
        };
        changes.iter().map(of_each).collect()
    }

    /// The record as it was; `None` where it is new.
    pub(super) fn before(&self) -> Option<&Probes<'a>> {
        let change = self.change;
        let before = || change.before.as_ref().map(|values| Probes::new(change.id, values));
        self.before.get_or_init(before).as_ref()
    }

    /// The record as it is; `None` where it is gone.
    pub(super) fn after(&self) -> Option<&Probes<'a>> {
        let change = self.change;
        let after = || change.after.as_ref().map(|after| Probes::new(change.id, &after.values));
        self.after.get_or_init(after).as_ref()
    }
}
