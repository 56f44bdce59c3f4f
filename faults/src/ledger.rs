//! What the clients know: every write they sent, what they were told, and so what each record may be now.
//!
//! A record is written by one client at a time. After an answer it is in one state; a write without an answer leaves
//! two.

use std::collections::{BTreeMap, HashMap};

use dev::answer::Answer;
use dev::request::Request;

use crate::values::{Collection, Values};

/// A record's address.
pub(crate) type Place = (Collection, i64);

#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Create,
    Update(i64),
    Delete(i64),
    /// An address and so many users who live there, in one batch, all with the same token.
    Batch(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) collection: Collection,
    pub(crate) deed: Deed,
    /// None where it deletes.
    pub(crate) values: Option<Values>,
    /// Its `Idempotency-Key`, unlike any other.
    pub(crate) key: String,
}

/// What became of a write, as far as its client can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Acked,
    Refused,
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Every record that there has ever been, and the states in which it may be found; `None` stands for gone.
    pub(crate) records: BTreeMap<Place, Vec<Option<Values>>>,
    /// Which write was given which records.
    pub(crate) created: HashMap<String, Vec<Place>>,
    /// Sent, and not answered so far, or never, by key.
    pub(crate) open: BTreeMap<String, Write>,
    pub(crate) violations: Vec<String>,
    /// Every write that was sent and what it was told, in order, for whoever has to find out.
    pub(crate) journal: Vec<String>,
    pub(crate) acked: usize,
    pub(crate) refused: usize,
    pub(crate) unknown: usize,
}

impl Write {
    pub(crate) fn request(&self) -> Request {
        let name = self.collection.name();
        let request = match self.deed {
            Deed::Batch(_) => Request::new("POST /_/batch/"),
            Deed::Create => Request::new(&format!("POST /{name}/")),
            Deed::Update(id) => Request::new(&format!("PUT /{name}/{id}/")),
            Deed::Delete(id) => Request::new(&format!("DELETE /{name}/{id}/")),
        };
        let request = request.key(&format!("\"{}\"", self.key));
        match (&self.values, &self.deed) {
            (Some(values), Deed::Batch(users)) => request.json(values.batch(*users)),
            (Some(values), _) => request.json(values.body(self.collection)),
            (None, _) => request,
        }
    }

    /// The records that it was given, by its answer: of a batch the address comes first.
    pub(crate) fn made(&self, answer: &Answer) -> Option<Vec<Place>> {
        match self.deed {
            Deed::Create => Some(vec![(self.collection, answer.location_id()?)]),
            Deed::Batch(users) => {
                let results = answer.try_json().ok()?;
                let uris =
                    results["results"].as_array()?.iter().map(|result| result["ressource_uri"].as_str());
                let places: Option<Vec<Place>> = uris.map(|uri| Collection::of_uri(uri?)).collect();
                places.filter(|places| places.len() == users + 1)
            }
            Deed::Update(_) | Deed::Delete(_) => None,
        }
    }

    /// What the record at one of the places that it was given holds.
    fn values_of(&self, place: Place, made: &[Place]) -> Option<Values> {
        let values = self.values.clone()?;
        let address = made.first().filter(|first| **first != place).map(|(_, id)| *id);
        Some(Values { address: address.or(values.address), ..values })
    }

    /// The record that is written to, where it is known beforehand.
    pub(crate) fn place(&self) -> Option<Place> {
        match self.deed {
            Deed::Create | Deed::Batch(_) => None,
            Deed::Update(id) | Deed::Delete(id) => Some((self.collection, id)),
        }
    }
}

impl Ledger {
    /// Before a write is sent: from now on the record may be as the write leaves it.
    pub(crate) fn begin(&mut self, write: &Write) {
        self.journal.push(format!("sent {:?} {:?} {}", write.collection, write.deed, write.key));
        if let Some(place) = write.place() {
            self.records.entry(place).or_default().push(write.values.clone());
        }
        self.open.insert(write.key.clone(), write.clone());
    }

    /// After its answer: the record is as the answer says.
    pub(crate) fn answered(&mut self, write: &Write, answer: &Answer) -> Verdict {
        let verdict = self.judge(write, answer);
        let id = answer.location_id().unwrap_or_default();
        self.journal.push(format!("told {} {verdict:?} {} {id}", write.key, answer.status));
        match verdict {
            Verdict::Acked => {
                self.acked += 1;
                if let Some(made) = write.made(answer) {
                    self.given(write, made);
                } else if let Some(place) = write.place() {
                    self.records.insert(place, vec![write.values.clone()]);
                }
            }
            Verdict::Refused => {
                self.refused += 1;
                // What was possible before it.
                if let Some(states) = write.place().and_then(|place| self.records.get_mut(&place)) {
                    states.pop();
                }
            }
            Verdict::Unknown => {
                self.unknown += 1;
                return verdict;
            }
        }
        self.open.remove(&write.key);
        verdict
    }

    /// No answer, or none that can be relied on: it stays open.
    pub(crate) fn unanswered(&mut self) {
        self.unknown += 1;
    }

    /// Nothing was sent.
    pub(crate) fn unsent(&mut self, write: &Write) {
        if let Some(states) = write.place().and_then(|place| self.records.get_mut(&place)) {
            states.pop();
        }
        self.open.remove(&write.key);
    }

    /// Records were given to a write. No id is given twice, and no write gets others.
    pub(crate) fn given(&mut self, write: &Write, made: Vec<Place>) {
        for &place in &made {
            let values = write.values_of(place, &made);
            if let Some(states) = self.records.insert(place, vec![values]) {
                self.violations
                    .push(format!("AN ID GIVEN TWICE: {place:?} to {write:?}, and before: {states:?}"));
            }
        }
        if let Some(first) = self.created.insert(write.key.clone(), made.clone()) {
            self.violations.push(format!("DOUBLED: {write:?} is {first:?} and {made:?}"));
        }
    }

    /// Whether an answer is one that may be given here; what may not is a violation.
    fn judge(&mut self, write: &Write, answer: &Answer) -> Verdict {
        let told = || format!("{write:?}: {} {}", answer.status, answer.excerpt());
        let refers = write.values.as_ref().is_some_and(|values| values.address.is_some());
        match (&write.deed, answer.status) {
            (Deed::Create, 201) | (Deed::Batch(_), 200) if write.made(answer).is_some() => Verdict::Acked,
            (Deed::Update(id), 200) => {
                let shown = answer.try_json().and_then(|record| Values::shown(write.collection, &record));
                if shown.as_ref().ok() != write.values.clone().map(|values| (*id, values)).as_ref() {
                    self.violations.push(format!("another record than was sent: {}, {shown:?}", told()));
                }
                Verdict::Acked
            }
            (Deed::Delete(_), 200) => Verdict::Acked,
            // The address that it refers to may be gone; one that is referred to may not go.
            (Deed::Create | Deed::Update(_), 400) if refers => Verdict::Refused,
            (Deed::Delete(_), 409) if write.collection == Collection::Address => Verdict::Refused,
            (_, 503) if answer.excerpt().contains("Nothing was changed") => Verdict::Refused,
            (_, 500..) => Verdict::Unknown,
            (Deed::Update(_) | Deed::Delete(_), 404) => {
                let states =
                    write.place().and_then(|place| self.records.get(&place)).cloned().unwrap_or_default();
                if !states[..states.len().saturating_sub(1)].contains(&None) {
                    self.violations.push(format!("LOST: {}, and it was {states:?}", told()));
                }
                Verdict::Refused
            }
            _ => {
                self.violations.push(format!("an answer that nobody expects: {}", told()));
                Verdict::Unknown
            }
        }
    }
}
