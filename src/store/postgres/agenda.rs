//! Which writes of a group share a statement: neighbours of one kind in one collection, as long as what becomes
//! of one of them cannot depend on another. A statement costs more than a record in it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::change_log::MOST_LOGGED;
use super::statement_cache::Statements;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::draft::Patch;
use crate::record::{RecordId, Value};
use crate::store::cache::term::Term;
use crate::store::write::{Batch, Work, Write};

/// How much text one statement carries at the most, so that no message outgrows the protocol.
pub(super) const LARGEST_MESSAGE: usize = 8 << 20;

/// What is to be done, in order.
#[derive(Default)]
pub(super) struct Agenda<'w> {
    /// All but those of batches.
    pub(super) writes: Vec<&'w Write>,
    /// The place of each of them among all that is to be done.
    places: Vec<usize>,
    pub(super) steps: Vec<Step<'w>>,
    /// The ids that creates were given beforehand, by where they stand among the writes. All of a step have one, or none.
    pub(super) ids: HashMap<usize, RecordId>,
    /// Whether nothing is done where anything is refused: then the database may refuse a create by an error.
    pub(super) is_all_or_nothing: bool,
    /// What the last step has in it.
    last: Content,
}

/// One statement, or several that are waited for. Its writes are named by where they stand among those of the agenda.
pub(super) enum Step<'w> {
    Inserts(Range<usize>),
    /// Updates of the same fields.
    Updates(Range<usize>),
    Deletes(Range<usize>),
    /// Upserts by the same rule.
    Upserts(Range<usize>),
    /// What must be looked at before it is done.
    Careful(usize),
    /// A batch, and its place among all that is to be done.
    Batch(usize, &'w Batch),
}

#[derive(Default)]
struct Content {
    /// What no two records may share, of creates and upserts.
    keys: HashSet<(usize, Vec<Term>)>,
    ids: HashSet<RecordId>,
    bytes: usize,
}

impl<'w> Agenda<'w> {
    /// What a group has to do.
    pub(super) fn of_group(
        catalog: &Catalog,
        statements: &[Statements],
        works: impl Iterator<Item = &'w Work>,
    ) -> Self {
        let mut agenda = Self::default();
        for (place, work) in works.enumerate() {
            match work {
                Work::One(write) => agenda.add(catalog, statements, place, write),
                Work::Batch(batch) => agenda.steps.push(Step::Batch(place, batch)),
            }
        }
        agenda
    }

    /// The same of writes alone.
    pub(super) fn of_writes(catalog: &Catalog, statements: &[Statements], writes: &[&'w Write]) -> Self {
        let mut agenda = Self::default();
        for (place, &write) in writes.iter().enumerate() {
            agenda.add(catalog, statements, place, write);
        }
        agenda
    }

    /// Where the writes of a step stand among all that is to be done.
    pub(super) fn places(&self, step: &Step<'_>) -> Range<usize> {
        match step {
            Step::Inserts(range) | Step::Updates(range) | Step::Deletes(range) | Step::Upserts(range) => {
                let first = self.places[range.start];
                first..first + range.len()
            }
            Step::Careful(at) => self.places[*at]..self.places[*at] + 1,
            Step::Batch(place, _) => *place..place + 1,
        }
    }

    /// The batches among these steps, each with its place among all that is to be done.
    pub(super) fn batches(&self, steps: Range<usize>) -> Vec<(usize, &'w Batch)> {
        let batch = |step: &Step<'w>| match step {
            Step::Batch(place, batch) => Some((*place, *batch)),
            _ => None,
        };
        self.steps[steps].iter().filter_map(batch).collect()
    }

    /// The writes, each with its place among all that is to be done.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, &'w Write)> {
        self.places.iter().copied().zip(self.writes.iter().copied())
    }

    /// Puts a write into the last step, where it may share a statement with those there, or into one of its own.
    fn add(&mut self, catalog: &Catalog, statements: &[Statements], place: usize, write: &'w Write) {
        let collection = catalog.at(write.collection());
        let at = self.writes.len();
        self.writes.push(write);
        self.places.push(place);
        if !self.is_taken_by_last(collection, write) {
            self.last = Content::of(collection, write);
            self.steps.push(step(&statements[collection.position()], write, at));
        }
    }

    /// Puts a write into the last step, where it may share a statement with those there; says whether it does.
    fn is_taken_by_last(&mut self, collection: &Collection, write: &Write) -> bool {
        let content = &mut self.last;
        let (range, is_taken) = match (self.steps.last_mut(), write) {
            (Some(Step::Inserts(range)), Write::Insert { draft, .. })
                if may_grow(&self.writes, range, collection) =>
            {
                (range, content.take_create(collection, draft.values()))
            }
            (Some(Step::Updates(range)), Write::Update { id, patch, seen: None, .. })
                if may_grow(&self.writes, range, collection)
                    && have_same_fields(self.writes[range.start], patch.values())
                    && !is_of_rule(collection, patch.values()) =>
            {
                (range, content.take(*id, bytes(patch.values().iter().map(|(_, value)| value))))
            }
            (Some(Step::Deletes(range)), Write::Delete { id, seen: None, .. })
                if may_grow(&self.writes, range, collection) =>
            {
                (range, content.take(*id, 8))
            }
            (Some(Step::Upserts(range)), Write::Upsert { patch, rule, seen: None, .. })
                if may_grow(&self.writes, range, collection)
                    && have_same_rule(self.writes[range.start], *rule) =>
            {
                (range, content.take_upsert(collection, patch, *rule))
            }
            _ => return false,
        };
        range.end += usize::from(is_taken);
        is_taken
    }
}

/// The step that a write begins.
fn step<'w>(statements: &Statements, write: &Write, at: usize) -> Step<'w> {
    match write {
        Write::Insert { .. } => Step::Inserts(at..at + 1),
        Write::Upsert { .. } => Step::Upserts(at..at + 1),
        Write::Update { patch, seen: None, .. } if !patch.values().is_empty() => Step::Updates(at..at + 1),
        Write::Delete { seen: None, .. } if statements.deletes_alone => Step::Deletes(at..at + 1),
        Write::Update { .. } | Write::Delete { .. } => Step::Careful(at),
    }
}

/// Whether one more may come to a step. What changes more records than the log tells has all nodes read anew.
fn may_grow(writes: &[&Write], range: &Range<usize>, collection: &Collection) -> bool {
    writes[range.start].collection() == collection.position() && range.len() < MOST_LOGGED
}

fn have_same_fields(first: &Write, given: &[(usize, Value)]) -> bool {
    match first {
        Write::Update { patch, .. } => {
            let positions = |given: &[(usize, Value)]| given.iter().map(|(position, _)| *position).collect();
            let (one, other): (Vec<usize>, Vec<usize>) = (positions(patch.values()), positions(given));
            one == other
        }
        Write::Insert { .. } | Write::Delete { .. } | Write::Upsert { .. } => false,
    }
}

/// Whether an upsert finds its record by this rule, whatever it has become.
fn have_same_rule(first: &Write, rule: usize) -> bool {
    matches!(first, Write::Upsert { rule: other, seen: None, .. } if *other == rule)
}

/// Whether a unique rule is about one of the fields: then one update may make room for the next.
fn is_of_rule(collection: &Collection, given: &[(usize, Value)]) -> bool {
    collection.unique().iter().flatten().any(|field| given.iter().any(|(position, _)| position == field))
}

impl Content {
    /// What a step begins with.
    fn of(collection: &Collection, write: &Write) -> Self {
        let mut content = Self::default();
        match write {
            Write::Insert { draft, .. } => _ = content.take_create(collection, draft.values()),
            Write::Update { id, patch, .. } => {
                _ = content.take(*id, bytes(patch.values().iter().map(|(_, value)| value)));
            }
            Write::Delete { id, .. } => _ = content.take(*id, 8),
            Write::Upsert { patch, rule, .. } => _ = content.take_upsert(collection, patch, *rule),
        }
        content
    }

    /// Two writes to one record are judged one after the other.
    fn take(&mut self, id: RecordId, bytes: usize) -> bool {
        self.bytes += bytes;
        self.bytes <= LARGEST_MESSAGE && self.ids.insert(id)
    }

    /// Two creates that a rule keeps apart must not be judged by one statement, which sees neither of them.
    fn take_create(&mut self, collection: &Collection, values: &[Value]) -> bool {
        self.bytes += bytes(values.iter());
        let own = rule_keys(collection, values);
        let is_taken = self.bytes <= LARGEST_MESSAGE && own.iter().all(|key| !self.keys.contains(key));
        if is_taken {
            self.keys.extend(own);
        }
        is_taken
    }

    /// Two upserts of one record are judged one after the other: the second finds what the first has made.
    fn take_upsert(&mut self, collection: &Collection, patch: &Patch, rule: usize) -> bool {
        self.bytes += bytes(patch.values().iter().map(|(_, value)| value));
        let key = rule_key(collection, rule, |position| patch.value(position));
        self.bytes <= LARGEST_MESSAGE && self.keys.insert(key)
    }
}

fn bytes<'a>(values: impl Iterator<Item = &'a Value>) -> usize {
    values.map(|value| value.text_bytes().max(8)).sum()
}

/// What no two records may share, for each rule that has all its values.
fn rule_keys(collection: &Collection, values: &[Value]) -> Vec<(usize, Vec<Term>)> {
    let rules = collection.unique().iter().enumerate();
    let rules = rules.filter(|(_, rule)| rule.iter().all(|&position| values[position] != Value::Null));
    rules.map(|(place, _)| rule_key(collection, place, |position| &values[position])).collect()
}

fn rule_key<'v>(
    collection: &Collection,
    rule: usize,
    value: impl Fn(usize) -> &'v Value,
) -> (usize, Vec<Term>) {
    let fields = collection.unique()[rule].iter();
    let terms = fields.map(|&position| Term::met(&collection.fields()[position], value(position)));
    (rule, terms.collect())
}

#[cfg(test)]
mod tests;
