//! Which writes of a group share a statement: neighbours of one kind in one collection, as long as what becomes
//! of one of them cannot depend on another. A statement costs more than a record in it.

use std::collections::HashSet;
use std::ops::Range;

use super::statement_cache::Statements;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value};
use crate::store::cache::term::Term;
use crate::store::write::Write;

/// How much text one statement carries at the most, so that no message outgrows the protocol.
pub(super) const LARGEST_BATCH_BYTES: usize = 8 << 20;

/// One statement of a group.
pub(super) enum Step {
    Inserts(Range<usize>),
    /// Updates of the same fields.
    Updates(Range<usize>),
    Deletes(Range<usize>),
    /// What must be looked at before it is done.
    Careful(usize),
}

impl Step {
    /// The places of its writes in the group.
    pub(super) fn places(&self) -> Range<usize> {
        match self {
            Self::Inserts(range) | Self::Updates(range) | Self::Deletes(range) => range.clone(),
            Self::Careful(at) => *at..at + 1,
        }
    }
}

/// What the last step has in it.
#[derive(Default)]
struct Batch {
    /// What no two records may share, of creates.
    keys: HashSet<(usize, Vec<Term>)>,
    ids: HashSet<RecordId>,
    bytes: usize,
}

/// Which statements to run, in the order of the writes.
pub(super) fn batch(catalog: &Catalog, statements: &[Statements], writes: &[&Write]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::with_capacity(8);
    let mut batch = Batch::default();
    for (at, &write) in writes.iter().enumerate() {
        let collection = catalog.at(write.collection());
        let last = steps.last_mut();
        let (step, is_added) = match write {
            Write::Insert { draft, .. } => {
                let is_added = match last {
                    Some(Step::Inserts(range)) if is_of(writes, range, collection) => {
                        extend(range, batch.take_create(collection, draft.values()))
                    }
                    _ => false,
                };
                (Step::Inserts(at..at + 1), is_added)
            }
            Write::Update { id, patch, seen: None, .. } if !patch.values().is_empty() => {
                let given = patch.values();
                let is_added = match last {
                    Some(Step::Updates(range))
                        if is_of(writes, range, collection)
                            && have_same_fields(writes[range.start], given)
                            && !is_of_rule(collection, given) =>
                    {
                        extend(range, batch.take(*id, bytes(given.iter().map(|(_, value)| value))))
                    }
                    _ => false,
                };
                (Step::Updates(at..at + 1), is_added)
            }
            Write::Delete { id, seen: None, .. } if statements[collection.position()].deletes_alone => {
                let is_added = match last {
                    Some(Step::Deletes(range))
                        if is_of(writes, range, collection)
                            && statements[collection.position()].deletes_together =>
                    {
                        extend(range, batch.take(*id, 8))
                    }
                    _ => false,
                };
                (Step::Deletes(at..at + 1), is_added)
            }
            Write::Update { .. } | Write::Delete { .. } => (Step::Careful(at), false),
        };
        if !is_added {
            batch = Batch::of(collection, write);
            steps.push(step);
        }
    }
    steps
}

fn is_of(writes: &[&Write], range: &Range<usize>, collection: &Collection) -> bool {
    writes[range.start].collection() == collection.position()
}

fn extend(range: &mut Range<usize>, is_taken: bool) -> bool {
    range.end += usize::from(is_taken);
    is_taken
}

fn have_same_fields(first: &Write, given: &[(usize, Value)]) -> bool {
    match first {
        Write::Update { patch, .. } => {
            let positions = |given: &[(usize, Value)]| given.iter().map(|(position, _)| *position).collect();
            let (one, other): (Vec<usize>, Vec<usize>) = (positions(patch.values()), positions(given));
            one == other
        }
        Write::Insert { .. } | Write::Delete { .. } => false,
    }
}

/// Whether a unique rule is about one of the fields: then one update may make room for the next.
fn is_of_rule(collection: &Collection, given: &[(usize, Value)]) -> bool {
    collection.unique().iter().flatten().any(|field| given.iter().any(|(position, _)| position == field))
}

impl Batch {
    /// What a step begins with.
    fn of(collection: &Collection, write: &Write) -> Self {
        let mut batch = Self::default();
        match write {
            Write::Insert { draft, .. } => _ = batch.take_create(collection, draft.values()),
            Write::Update { id, patch, .. } => {
                _ = batch.take(*id, bytes(patch.values().iter().map(|(_, value)| value)));
            }
            Write::Delete { id, .. } => _ = batch.take(*id, 8),
        }
        batch
    }

    /// Two writes to one record are judged one after the other.
    fn take(&mut self, id: RecordId, bytes: usize) -> bool {
        self.bytes += bytes;
        self.bytes <= LARGEST_BATCH_BYTES && self.ids.insert(id)
    }

    /// Two creates that a rule keeps apart must not be judged by one statement, which sees neither of them.
    fn take_create(&mut self, collection: &Collection, values: &[Value]) -> bool {
        self.bytes += bytes(values.iter());
        let own = rule_keys(collection, values);
        let is_taken = self.bytes <= LARGEST_BATCH_BYTES && own.iter().all(|key| !self.keys.contains(key));
        if is_taken {
            self.keys.extend(own);
        }
        is_taken
    }
}

fn bytes<'a>(values: impl Iterator<Item = &'a Value>) -> usize {
    values.map(|value| value.text_bytes().max(8)).sum()
}

/// What no two records may share, for each rule that has all its values.
fn rule_keys(collection: &Collection, values: &[Value]) -> Vec<(usize, Vec<Term>)> {
    let rules = collection.unique().iter().enumerate();
    let rules = rules.filter(|(_, rule)| rule.iter().all(|&position| values[position] != Value::Null));
    let keys = rules.map(|(place, rule)| {
        let terms = rule.iter().map(|&position| Term::met(&collection.fields()[position], &values[position]));
        (place, terms.collect())
    });
    keys.collect()
}
