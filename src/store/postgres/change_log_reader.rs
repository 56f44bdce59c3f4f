//! What the log of changes says to the memory of a node: for each commit and record what it was before and is after.

use std::collections::HashMap;

use tokio_postgres::{Error, Row};

use super::change_row;
use crate::catalog::Catalog;
use crate::record::{RecordId, representation};
use crate::store::change::{After, Change};

/// What has changed, and the collections of which more has changed than is told.
pub(super) struct LoggedChanges {
    pub(super) changes: Vec<Change>,
    pub(super) forgotten: Vec<usize>,
}

/// One line of the log: a record before and after a statement, as JSON; none where it was not there.
type Line<'r> = (Option<&'r str>, Option<&'r str>);

/// The lines of one commit, by collection and id.
#[derive(Default)]
struct Commit<'r> {
    number: i64,
    lines: Vec<(usize, RecordId, Vec<Line<'r>>)>,
    places: HashMap<(usize, RecordId), usize>,
}

impl LoggedChanges {
    /// Everything is forgotten.
    pub(super) fn unknown(catalog: &Catalog) -> Self {
        Self { changes: Vec::new(), forgotten: (0..catalog.collections().len()).collect() }
    }

    /// Rows `keys, number, collection, id, before, after, is_cut`, in the order of commits, and of statements in each.
    pub(super) fn read(catalog: &Catalog, rows: &[Row]) -> Result<Self, Error> {
        let mut logged = Self { changes: Vec::with_capacity(rows.len()), forgotten: Vec::new() };
        let mut commit = Commit::default();
        for row in rows {
            let number = row.try_get(1)?;
            if commit.number != number {
                logged.take(catalog, std::mem::replace(&mut commit, Commit { number, ..Commit::default() }));
            }
            // A commit of which the log has nothing: it was lost, or somebody says that all has changed.
            let Some(name) = row.try_get::<_, Option<&str>>(2)? else { return Ok(Self::unknown(catalog)) };
            let Some(collection) = catalog.find(name) else { continue };
            let id = row.try_get::<_, Option<i64>>(3)?.and_then(RecordId::new);
            match id {
                Some(id) if !row.try_get::<_, bool>(6)? => {
                    commit.add(collection.position(), id, (row.try_get(4)?, row.try_get(5)?));
                }
                _ => logged.forget(collection.position()),
            }
        }
        logged.take(catalog, commit);
        let LoggedChanges { changes, forgotten } = &mut logged;
        changes.retain(|change| !forgotten.contains(&change.collection));
        Ok(logged)
    }

    fn take(&mut self, catalog: &Catalog, commit: Commit<'_>) {
        for (position, id, lines) in commit.lines {
            let collection = catalog.at(position);
            let record = |text: Option<&str>| match text {
                None => Some(None),
                Some(text) => change_row::read(collection, text).map(Some),
            };
            let ends = net(&lines).and_then(|(before, after)| Some((record(before)?, record(after)?)));
            match ends {
                None => self.forget(position),
                Some((None, None)) => {}
                Some((before, after)) => {
                    let after = after.map(|values| After {
                        representation: representation::of(collection, id, &values),
                        values: values.into(),
                    });
                    self.changes.push(Change { collection: position, id, before, after });
                }
            }
        }
    }

    fn forget(&mut self, collection: usize) {
        if !self.forgotten.contains(&collection) {
            self.forgotten.push(collection);
        }
    }
}

impl<'r> Commit<'r> {
    fn add(&mut self, collection: usize, id: RecordId, line: Line<'r>) {
        let place = *self.places.entry((collection, id)).or_insert_with(|| {
            self.lines.push((collection, id, Vec::with_capacity(1)));
            self.lines.len() - 1
        });
        self.lines[place].2.push(line);
    }
}

/// What a record was before the changes of a commit and is after them. They need not be in order: what a trigger of
/// another tool does to the row of a statement is logged before the statement is. The beginning is the state that is
/// left once more than it is reached, the end the one that is reached once more. Where each is left as often as it is
/// reached, the record is what it was; `None` where the lines do not fit together.
fn net<'r>(lines: &[Line<'r>]) -> Option<Line<'r>> {
    if let [line] = lines {
        return Some(*line);
    }
    let mut left: HashMap<Option<&str>, i64> = HashMap::new();
    for (before, after) in lines {
        *left.entry(*before).or_default() += 1;
        *left.entry(*after).or_default() -= 1;
    }
    left.retain(|_, times| *times != 0);
    let state = |wanted: i64| left.iter().find(|(_, times)| **times == wanted).map(|(state, _)| *state);
    match left.len() {
        0 => Some((None, None)),
        2 => Some((state(1)?, state(-1)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_changes_of_a_record_are_one_whatever_their_order() {
        let (a, b, c, d) = (Some("a"), Some("b"), Some("c"), Some("d"));
        assert_eq!(net(&[(a, b), (b, c)]), Some((a, c)));
        assert_eq!(net(&[(b, c), (a, b)]), Some((a, c)), "a trigger for each row came first");
        assert_eq!(net(&[(b, c), (None, b)]), Some((None, c)));
        let as_it_was = Some((None, None));
        assert_eq!(net(&[(a, b), (b, a)]), as_it_was);
        assert_eq!(net(&[(b, None), (None, b)]), as_it_was, "it was deleted by a trigger, or created again");
        assert_eq!(net(&[(a, b), (c, d)]), None);
        assert_eq!(net(&[(a, b), (a, b)]), None);
    }
}
