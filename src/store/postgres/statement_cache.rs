//! The statements of a collection whose text does not depend on the request, made once.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::rule_sql;
use super::sql::{self, Blocker};
use super::undeclared_refs::UndeclaredRef;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;

/// More texts of updates than any client needs; there is one for each choice of fields.
const MOST_UPDATES: usize = 1_024;

pub(super) struct Statements {
    pub(super) records: String,
    pub(super) lock_one: Arc<str>,
    pub(super) insert: Arc<str>,
    /// The same under ids that are given, refused by an error.
    pub(super) insert_given: Arc<str>,
    pub(super) delete: Arc<str>,
    /// By the place of a unique rule: the records that upserts are about.
    pub(super) find: Vec<Arc<str>>,
    /// By the positions of the fields.
    updates: Mutex<HashMap<Vec<usize>, Arc<str>>>,
    /// Who may keep a record from being deleted, in the order in which they are asked.
    pub(super) blockers: Vec<Blocker>,
    /// Whether `delete` does all there is to do; else others change along with it.
    pub(super) deletes_alone: bool,
    /// Whether nothing that is declared keeps a record from being deleted with all that refers to it.
    pub(super) takes_all_along: bool,
}

impl Statements {
    pub(super) fn all(catalog: &Catalog, undeclared_refs: &[UndeclaredRef]) -> Arc<[Self]> {
        let along = sql::take_all_along(catalog);
        let collections = catalog.collections().iter().zip(along);
        collections
            .map(|(collection, along)| Self::new(catalog, collection, along, undeclared_refs))
            .collect()
    }

    fn new(
        catalog: &Catalog,
        collection: &Collection,
        takes_all_along: bool,
        undeclared_refs: &[UndeclaredRef],
    ) -> Self {
        let deletes_alone = sql::is_kept_by_all(catalog, collection);
        let referrers = catalog.referrers(collection).filter(|_| deletes_alone);
        let referrers = referrers.map(|(referrer, position)| sql::keeper(referrer, position));
        let undeclared_refs =
            undeclared_refs.iter().filter(|reference| reference.target == collection.position());
        let undeclared_refs =
            undeclared_refs.map(|it| Blocker { table: it.table.clone(), holds: it.holds.clone() });
        let blockers: Vec<Blocker> = referrers.chain(undeclared_refs).collect();
        Self {
            records: sql::records(collection),
            lock_one: sql::lock_one(collection).into(),
            insert: sql::insert(catalog, collection).into(),
            insert_given: sql::insert_given(collection).into(),
            delete: sql::delete(collection, &blockers).into(),
            find: collection.unique().iter().map(|rule| rule_sql::find(collection, rule).into()).collect(),
            updates: Mutex::new(HashMap::new()),
            blockers,
            deletes_alone,
            takes_all_along,
        }
    }

    /// The statement that changes the fields at these positions.
    pub(super) fn update(
        &self,
        catalog: &Catalog,
        collection: &Collection,
        positions: Vec<usize>,
    ) -> Arc<str> {
        let mut updates = self.updates.lock();
        if let Some(text) = updates.get(&positions) {
            return text.clone();
        }
        if updates.len() >= MOST_UPDATES {
            updates.clear();
        }
        let text: Arc<str> = sql::update(catalog, collection, &positions).into();
        updates.insert(positions, text.clone());
        text
    }
}
