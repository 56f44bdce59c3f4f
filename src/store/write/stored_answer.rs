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
    /// The record that is new.
    pub(in crate::store) id: Option<i64>,
    /// The record as the answer shows it, or its tag, or the names that a refusal is about.
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

/// A record of more bytes is not kept with an answer: a few bytes of a request could otherwise store a megabyte, again
/// and again.
const LARGEST_KEPT: usize = 4_096;

impl<'a> StoredAnswer<'a> {
    /// What to store of an outcome; nothing where the same request may fare better the next time.
    pub(in crate::store) fn of(outcome: &'a WriteOutcome, shows_record: bool) -> Option<Self> {
        let (verdict, detail) = match outcome {
            Ok(Written::Created { id, representation: record }) => {
                let (verdict, detail) = match shows_record {
                    true => kept(record, CREATED, CREATED_LARGE),
                    false => (CREATED, None),
                };
                return Some(Self { verdict, id: Some(id.get()), detail });
            }
            Ok(Written::Updated(record)) => kept(record, UPDATED, UPDATED_LARGE),
            Ok(Written::Unchanged(record)) => kept(record, UNCHANGED, UPDATED_LARGE),
            Ok(Written::Deleted) => (DELETED, None),
            Ok(Written::NoRecord) => (NO_RECORD, None),
            Err(StoreError::DanglingReference(field)) => (DANGLING, Some(field.into())),
            Err(StoreError::Duplicate(fields)) => (DUPLICATE, Some(fields.join(",").into())),
            Err(StoreError::StillReferenced(by)) => (STILL_REFERENCED, Some(by.into())),
            Err(StoreError::EtagMismatch) => (CHANGED, None),
            Err(StoreError::PreconditionFailed) => (UNWANTED, None),
            Err(
                // With PostgreSQL the transaction that would store it is taken back.
                StoreError::UndeclaredRule(_)
                | StoreError::KeyRevoked
                | StoreError::Busy
                | StoreError::NoRoom
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
                | StoreError::Broken(_),
            ) => return None,
        };
        Some(Self { verdict, id: None, detail })
    }

    /// What its holder is told again; `None` where another tool was there.
    pub(in crate::store) fn read(self) -> Option<WriteReply> {
        let Self { verdict, id, detail } = self;
        let created = |representation| Some(Written::Created { id: RecordId::new(id?)?, representation });
        let record = |detail: Option<Cow<'_, str>>| Bytes::from(detail.unwrap_or_default().into_owned());
        let names = |detail: Option<Cow<'_, str>>| detail.map(Cow::into_owned);
        let mut missing = None;
        let outcome = match verdict {
            CREATED => Ok(created(record(detail))?),
            UPDATED => Ok(Written::Updated(record(detail))),
            CREATED_LARGE | UPDATED_LARGE => {
                missing = Some(ETag::parse(&detail?)?);
                let record = Bytes::new();
                Ok(if verdict == CREATED_LARGE { created(record)? } else { Written::Updated(record) })
            }
            UNCHANGED => Ok(Written::Unchanged(record(detail))),
            DELETED => Ok(Written::Deleted),
            NO_RECORD => Ok(Written::NoRecord),
            DANGLING => Err(StoreError::DanglingReference(names(detail)?)),
            // No name of a field has a comma in it.
            DUPLICATE => Err(StoreError::Duplicate(detail?.split(',').map(str::to_owned).collect())),
            STILL_REFERENCED => Err(StoreError::StillReferenced(names(detail)?)),
            CHANGED => Err(StoreError::EtagMismatch),
            UNWANTED => Err(StoreError::PreconditionFailed),
            _ => return None,
        };
        Some(WriteReply { outcome, is_replayed: true, missing })
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

    #[test]
    fn every_verdict_that_is_stored_is_read_back_as_it_was() {
        let record = Bytes::from_static("{\"name\":\"É\"}".as_bytes());
        for outcome in [
            created(&record),
            Ok(Written::Updated(record.clone())),
            Ok(Written::Unchanged(record.clone())),
            Ok(Written::Deleted),
            Ok(Written::NoRecord),
            Err(StoreError::DanglingReference("address".into())),
            Err(StoreError::Duplicate(vec!["a".into(), "b".into()])),
            Err(StoreError::StillReferenced("users, too".into())),
            Err(StoreError::EtagMismatch),
            Err(StoreError::PreconditionFailed),
        ] {
            let back = StoredAnswer::of(&outcome, true).unwrap().read().unwrap();
            assert_eq!(format!("{:?}", back.outcome), format!("{outcome:?}"));
            assert_eq!((back.is_replayed, back.missing), (true, None));
        }
        assert_eq!(StoredAnswer::of(&created(&record), false).unwrap().detail, None);
        assert!(StoredAnswer { verdict: "painted", id: None, detail: None }.read().is_none());
    }

    #[test]
    fn of_a_large_record_the_tag_is_stored() {
        let (small, large) =
            (Bytes::from(vec![b'x'; LARGEST_KEPT]), Bytes::from(vec![b'x'; LARGEST_KEPT + 1]));
        for (outcome, without_record) in [
            (Ok(Written::Updated(large.clone())), Ok(Written::Updated(Bytes::new()))),
            (Ok(Written::Unchanged(large.clone())), Ok(Written::Updated(Bytes::new()))),
            (created(&large), created(&Bytes::new())),
        ] {
            let answer = StoredAnswer::of(&outcome, true).unwrap();
            assert!(answer.detail.as_ref().unwrap().len() < 40);
            let back = answer.read().unwrap();
            assert_eq!(format!("{:?}", back.outcome), format!("{without_record:?}"));
            assert_eq!((back.is_replayed, back.missing), (true, Some(ETag::of(&large))));
        }
        let outcome = Ok(Written::Updated(small.clone()));
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
