//! The outcome of a write as it is stored for whoever sends it again. Where, and for how long: `stored_answers.rs` of
//! each engine.

use std::borrow::Cow;

use bytes::Bytes;

use super::{WriteOutcome, WriteReply, Written};
use crate::record::RecordId;
use crate::record::etag::ETag;
use crate::store::StoreError;

/// An outcome as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) struct StoredAnswer<'a> {
    pub(in crate::store) verdict: &'a str,
    /// The record that is new or was changed; of a refused batch, the item that was.
    pub(in crate::store) id: Option<i64>,
    /// The record as the answer shows it, or its tag, or the names that a refusal is about, or the items of a batch.
    pub(in crate::store) detail: Option<Cow<'a, str>>,
}

/// What a stored answer takes besides its detail: its digests, its outcome, and its places in two indexes. With
/// SQLite, 203 to 269 were seen.
pub(in crate::store) const BYTES_BESIDES: u64 = 256;

const CREATED: &str = "created";
const CREATED_LARGE: &str = "created, large";
const UPDATED: &str = "updated";
const UPDATED_LARGE: &str = "updated, large";
const UNCHANGED: &str = "unchanged";
const DELETED: &str = "deleted";
const NO_RECORD: &str = "no record";
const DANGLING: &str = "dangling reference";
const DUPLICATE: &str = "duplicate";
const STILL_REFERENCED: &str = "still referenced";
const CHANGED: &str = "changed";
const UNWANTED: &str = "unwanted";
const NONE_TO_MATCH: &str = "none to match";
/// All of its items were done: a line for each.
const BATCH: &str = "batch";

/// A record of more bytes is not kept with an answer: a few bytes of a request could otherwise store a megabyte, again
/// and again.
const LARGEST_KEPT: usize = 4_096;

impl<'a> StoredAnswer<'a> {
    /// What to store of an outcome; nothing where the same request may fare better the next time.
    pub(in crate::store) fn of(outcome: &'a WriteOutcome, shows_record: bool) -> Option<Self> {
        match outcome {
            Ok(Written::Batch(items)) => {
                let lines = items.iter().map(|item| Self::of_written(item, shows_record).line());
                let detail = Some(lines.collect::<Vec<_>>().join("\n").into());
                Some(Self { verdict: BATCH, id: None, detail })
            }
            // The answer to an update shows its record without being asked.
            Ok(created @ Written::Created { .. }) => Some(Self::of_written(created, shows_record)),
            Ok(written) => Some(Self::of_written(written, true)),
            Err(StoreError::Item(place, error)) => {
                Some(Self { id: i64::try_from(*place).ok(), ..Self::of_refusal(error)? })
            }
            Err(error) => Self::of_refusal(error),
        }
    }

    fn of_written(written: &'a Written, shows_record: bool) -> Self {
        let (small, large) = match written {
            Written::Created { .. } => (CREATED, CREATED_LARGE),
            Written::Updated { .. } => (UPDATED, UPDATED_LARGE),
            Written::Unchanged { .. } => (UNCHANGED, UPDATED_LARGE),
            Written::Deleted => (DELETED, DELETED),
            Written::Batch(_) => (BATCH, BATCH),
        };
        let (verdict, detail) = match written.record() {
            Some((_, record)) if shows_record => kept(record, small, large),
            _ => (small, None),
        };
        Self { verdict, id: written.record().map(|(id, _)| id.get()), detail }
    }

    fn of_refusal(error: &'a StoreError) -> Option<Self> {
        let (verdict, detail) = match error {
            StoreError::NoRecord => (NO_RECORD, None),
            StoreError::NoneToMatch => (NONE_TO_MATCH, None),
            StoreError::DanglingReference(field) => (DANGLING, Some(field.into())),
            StoreError::Duplicate(fields) => (DUPLICATE, Some(fields.join(",").into())),
            StoreError::StillReferenced(by) => (STILL_REFERENCED, Some(by.into())),
            StoreError::EtagMismatch => (CHANGED, None),
            StoreError::PreconditionFailed => (UNWANTED, None),
            // With PostgreSQL the transaction that would store it is taken back.
            StoreError::UndeclaredRule(_)
            | StoreError::Item(..)
            | StoreError::KeyRevoked
            | StoreError::Busy
            | StoreError::NoRoom
            | StoreError::TooMuchShown(_)
            | StoreError::NoRoomForAnswers
            | StoreError::OrderBeingMade { .. }
            | StoreError::NoRoomToSort { .. }
            | StoreError::Unavailable
            | StoreError::Full
            | StoreError::NoIdLeft
            | StoreError::OutcomeUnknown
            | StoreError::InFlight
            | StoreError::IdempotencyKeyReused
            | StoreError::AnswerNotKept
            | StoreError::NotReady(_)
            | StoreError::Broken(_) => return None,
        };
        Some(Self { verdict, id: None, detail })
    }

    /// What its holder is told again; `None` where another tool was there. `named` is the record that the request names.
    pub(in crate::store) fn read(self, named: Option<RecordId>) -> Option<WriteReply> {
        let mut missing = Vec::new();
        let outcome = if self.verdict == BATCH {
            let lines = self.detail.as_deref()?.lines().enumerate();
            let items = lines.map(|(place, line)| {
                StoredAnswer::of_line(line)?.read_written(None, |tag| missing.push((place, tag)))
            });
            Ok(Written::Batch(items.collect::<Option<_>>()?))
        } else if let Some(error) = self.read_refusal() {
            Err(match self.id {
                Some(place) => StoreError::Item(usize::try_from(place).ok()?, Box::new(error)),
                None => error,
            })
        } else {
            Ok(self.read_written(named, |tag| missing.push((0, tag)))?)
        };
        Some(WriteReply { outcome, is_replayed: true, missing })
    }

    fn read_written(&self, named: Option<RecordId>, mut miss: impl FnMut(ETag)) -> Option<Written> {
        let id = self.id.and_then(RecordId::new).or(named);
        let representation = match self.verdict {
            CREATED_LARGE | UPDATED_LARGE => {
                miss(ETag::parse(self.detail.as_deref()?)?);
                Bytes::new()
            }
            _ => Bytes::copy_from_slice(self.detail.as_deref().unwrap_or_default().as_bytes()),
        };
        Some(match self.verdict {
            CREATED | CREATED_LARGE => Written::Created { id: id?, representation },
            UPDATED | UPDATED_LARGE => Written::Updated { id: id?, representation },
            UNCHANGED => Written::Unchanged { id: id?, representation },
            DELETED => Written::Deleted,
            _ => return None,
        })
    }

    fn read_refusal(&self) -> Option<StoreError> {
        let name = || self.detail.as_deref().unwrap_or_default().to_owned();
        Some(match self.verdict {
            NO_RECORD => StoreError::NoRecord,
            NONE_TO_MATCH => StoreError::NoneToMatch,
            DANGLING => StoreError::DanglingReference(name()),
            // No name of a field has a comma in it.
            DUPLICATE => StoreError::Duplicate(name().split(',').map(str::to_owned).collect()),
            STILL_REFERENCED => StoreError::StillReferenced(name()),
            CHANGED => StoreError::EtagMismatch,
            UNWANTED => StoreError::PreconditionFailed,
            _ => return None,
        })
    }

    /// As a line of the detail of a batch. JSON has neither tabs nor ends of lines in it.
    fn line(&self) -> String {
        let id = self.id.map(|id| id.to_string()).unwrap_or_default();
        format!("{}\t{id}\t{}", self.verdict, self.detail.as_deref().unwrap_or_default())
    }

    fn of_line(line: &'a str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t');
        let (verdict, id, detail) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { verdict, id: id.parse().ok(), detail: Some(detail.into()) })
    }

    /// How many bytes it counts for among those that stored answers may take.
    pub(in crate::store) fn bytes(&self) -> u64 {
        BYTES_BESIDES + self.detail.as_ref().map_or(0, |detail| detail.len()) as u64
    }
}

/// A record as it is kept, under its verdict: itself, or its tag where it is large.
fn kept<'a>(record: &'a Bytes, small: &'a str, large: &'a str) -> (&'a str, Option<Cow<'a, str>>) {
    if record.len() > LARGEST_KEPT {
        (large, Some(ETag::of(record).to_string().into()))
    } else {
        (small, Some(String::from_utf8_lossy(record)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(record: &Bytes) -> WriteOutcome {
        Ok(Written::Created { id: RecordId::new(7).unwrap(), representation: record.clone() })
    }

    fn updated(record: &Bytes) -> WriteOutcome {
        Ok(Written::Updated { id: RecordId::new(8).unwrap(), representation: record.clone() })
    }

    fn unchanged(record: &Bytes) -> WriteOutcome {
        Ok(Written::Unchanged { id: RecordId::new(9).unwrap(), representation: record.clone() })
    }

    #[test]
    fn every_verdict_that_is_stored_is_read_back_as_it_was() {
        let record = Bytes::from_static("{\"name\":\"É\"}".as_bytes());
        for outcome in [
            created(&record),
            updated(&record),
            unchanged(&record),
            Ok(Written::Deleted),
            Ok(Written::Batch(
                [created(&record), unchanged(&record)].into_iter().map(Result::unwrap).collect(),
            )),
            Ok(Written::Batch(vec![Written::Deleted, Written::Deleted])),
            Err(StoreError::NoRecord),
            Err(StoreError::NoneToMatch),
            Err(StoreError::Item(0, Box::new(StoreError::NoRecord))),
            Err(StoreError::Item(999, Box::new(StoreError::Duplicate(vec!["a".into(), "b".into()])))),
            Err(StoreError::DanglingReference("address".into())),
            Err(StoreError::Duplicate(vec!["a".into(), "b".into()])),
            Err(StoreError::StillReferenced("users, too".into())),
            Err(StoreError::EtagMismatch),
            Err(StoreError::PreconditionFailed),
        ] {
            let back = StoredAnswer::of(&outcome, true).unwrap().read(None).unwrap();
            assert_eq!(format!("{:?}", back.outcome), format!("{outcome:?}"));
            assert_eq!((back.is_replayed, back.missing), (true, vec![]));
        }
        assert_eq!(StoredAnswer::of(&created(&record), false).unwrap().detail, None);
        for verdict in ["painted", BATCH, CREATED, UPDATED] {
            assert!(StoredAnswer { verdict, id: None, detail: None }.read(None).is_none(), "{verdict}");
        }
        // Those of older versions do not say which record was changed.
        let old = StoredAnswer { verdict: UPDATED, id: None, detail: Some("{}".into()) };
        let back = old.read(RecordId::new(7)).unwrap().outcome.unwrap();
        assert_eq!(back.record().unwrap().0.get(), 7);
    }

    #[test]
    fn of_a_large_record_the_tag_is_stored() {
        let (small, large) =
            (Bytes::from(vec![b'x'; LARGEST_KEPT]), Bytes::from(vec![b'x'; LARGEST_KEPT + 1]));
        let nothing = Bytes::new();
        let left = Written::Updated { id: RecordId::new(9).unwrap(), representation: Bytes::new() };
        for (outcome, without_record) in [
            (updated(&large), updated(&nothing)),
            (unchanged(&large), Ok(left)),
            (created(&large), created(&nothing)),
        ] {
            let answer = StoredAnswer::of(&outcome, true).unwrap();
            assert!(answer.detail.as_ref().unwrap().len() < 40);
            let back = answer.read(None).unwrap();
            assert_eq!(format!("{:?}", back.outcome), format!("{without_record:?}"));
            assert_eq!((back.is_replayed, back.missing), (true, vec![(0, ETag::of(&large))]));
        }
        let items = [updated(&small), updated(&large)].into_iter().map(Result::unwrap).collect();
        let batch = Ok(Written::Batch(items));
        let back = StoredAnswer::of(&batch, true).unwrap().read(None).unwrap();
        assert_eq!(back.missing, [(1, ETag::of(&large))]);
        assert!(StoredAnswer::of(&batch, false).unwrap().detail.unwrap().len() < 40);
        let outcome = updated(&small);
        assert_eq!(StoredAnswer::of(&outcome, true).unwrap().detail.unwrap().len(), small.len());
        assert_eq!(StoredAnswer::of(&created(&large), false).unwrap().detail, None);
    }

    #[test]
    fn what_may_fare_better_the_next_time_is_not_stored() {
        for error in [
            StoreError::UndeclaredRule(String::new()),
            StoreError::KeyRevoked,
            StoreError::Busy,
            StoreError::NoRoomForAnswers,
            StoreError::TooMuchShown(1),
            StoreError::Unavailable,
            StoreError::Full,
            StoreError::NoIdLeft,
            StoreError::OutcomeUnknown,
            StoreError::InFlight,
            StoreError::IdempotencyKeyReused,
            StoreError::AnswerNotKept,
            StoreError::NotReady(String::new()),
            StoreError::Broken(String::new()),
        ] {
            assert_eq!(StoredAnswer::of(&Err(error), true), None);
        }
    }
}
