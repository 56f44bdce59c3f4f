//! The outcome of a write, for whoever waits, and as it is stored for whoever sends it again.

use std::borrow::Cow;

use bytes::Bytes;

use super::{Created, StoreError};
use crate::record::RecordId;
use crate::record::etag::ETag;

/// What became of a write.
#[derive(Debug)]
pub(super) enum WriteOutcome {
    Refused(StoreError),
    Created(Created),
    Updated(Bytes),
    /// There was nothing to change.
    Unchanged(Bytes),
    Deleted,
    NoRecord,
    /// What a stored answer says whose record was too large to be kept with it. The id is that of a record that was
    /// created; who asks knows that of an update.
    Tagged {
        id: Option<RecordId>,
        tag: ETag,
    },
}

/// An outcome as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words<'a> {
    pub(super) verdict: &'static str,
    /// The record that is new.
    pub(super) id: Option<i64>,
    /// The record as the answer shows it, or its tag, or the names that a refusal is about.
    pub(super) detail: Option<Cow<'a, str>>,
}

impl Words<'_> {
    /// How many bytes it counts for among those that stored answers may take.
    pub(super) fn bytes(&self) -> u64 {
        BYTES_BESIDES + self.detail.as_ref().map_or(0, |detail| detail.len()) as u64
    }
}

/// What a stored answer takes besides its detail: its digests, its outcome, and its places in two indexes. With
/// SQLite, 203 to 269 were seen.
pub(super) const BYTES_BESIDES: u64 = 256;

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

impl WriteOutcome {
    /// What was done, for the metrics.
    pub(super) fn deed(&self) -> Option<&'static str> {
        match self {
            Self::Created(_) => Some("created"),
            Self::Updated(_) => Some("updated"),
            Self::Deleted => Some("deleted"),
            Self::Refused(_) | Self::Unchanged(_) | Self::NoRecord | Self::Tagged { .. } => None,
        }
    }

    /// To a create.
    pub(super) fn created(self) -> Result<Created, StoreError> {
        match self {
            Self::Created(created) => Ok(created),
            Self::Refused(error) => Err(error),
            _ => Err(strange()),
        }
    }

    /// To an update.
    pub(super) fn updated(self) -> Result<Option<Bytes>, StoreError> {
        match self {
            Self::Updated(record) | Self::Unchanged(record) => Ok(Some(record)),
            Self::NoRecord => Ok(None),
            Self::Refused(error) => Err(error),
            _ => Err(strange()),
        }
    }

    /// To a delete.
    pub(super) fn deleted(self) -> Result<bool, StoreError> {
        match self {
            Self::Deleted => Ok(true),
            Self::NoRecord => Ok(false),
            Self::Refused(error) => Err(error),
            _ => Err(strange()),
        }
    }

    /// What to store of it; nothing where the same request may fare better the next time.
    pub(super) fn words(&self, shows_record: bool) -> Option<Words<'_>> {
        let words = |verdict, detail| Some(Words { verdict, id: None, detail });
        let tag = |record: &Bytes| Some(ETag::of(record).to_string().into());
        match self {
            Self::Created(Created { id, representation })
                if shows_record && representation.len() > LARGEST_KEPT =>
            {
                Some(Words { verdict: CREATED_LARGE, id: Some(id.get()), detail: tag(representation) })
            }
            Self::Created(Created { id, representation }) => Some(Words {
                verdict: CREATED,
                id: Some(id.get()),
                detail: shows_record.then(|| String::from_utf8_lossy(representation)),
            }),
            Self::Updated(record) | Self::Unchanged(record) if record.len() > LARGEST_KEPT => {
                words(UPDATED_LARGE, tag(record))
            }
            Self::Updated(record) => words(UPDATED, Some(String::from_utf8_lossy(record))),
            Self::Unchanged(record) => words(UNCHANGED, Some(String::from_utf8_lossy(record))),
            Self::Deleted => words(DELETED, None),
            Self::NoRecord => words(NO_RECORD, None),
            Self::Tagged { .. } => None,
            Self::Refused(error) => match error {
                StoreError::DanglingReference(field) => words(DANGLING, Some(field.into())),
                StoreError::Duplicate(fields) => words(DUPLICATE, Some(fields.join(",").into())),
                StoreError::StillReferenced(by) => words(STILL_REFERENCED, Some(by.into())),
                StoreError::EtagMismatch => words(CHANGED, None),
                StoreError::PreconditionFailed => words(UNWANTED, None),
                // With PostgreSQL the transaction that would store it is taken back.
                StoreError::UndeclaredRule(_)
                | StoreError::Busy
                | StoreError::NoRoom
                | StoreError::NoRoomForAnswers
                | StoreError::Unavailable
                | StoreError::Full
                | StoreError::NoIdLeft
                | StoreError::OutcomeUnknown
                | StoreError::InFlight
                | StoreError::IdempotencyKeyReused
                | StoreError::AnswerNotKept
                | StoreError::NotReady(_)
                | StoreError::Broken(_) => None,
            },
        }
    }

    /// Reads back what was stored.
    pub(super) fn read(verdict: &str, id: Option<i64>, detail: Option<String>) -> Option<Self> {
        let record = |detail: Option<String>| Bytes::from(detail.unwrap_or_default());
        Some(match verdict {
            CREATED => Self::Created(Created { id: RecordId::new(id?)?, representation: record(detail) }),
            CREATED_LARGE => Self::Tagged { id: Some(RecordId::new(id?)?), tag: ETag::parse(&detail?)? },
            UPDATED_LARGE => Self::Tagged { id: None, tag: ETag::parse(&detail?)? },
            UPDATED => Self::Updated(record(detail)),
            UNCHANGED => Self::Unchanged(record(detail)),
            DELETED => Self::Deleted,
            NO_RECORD => Self::NoRecord,
            DANGLING => Self::Refused(StoreError::DanglingReference(detail?)),
            // No name of a field has a comma in it.
            DUPLICATE => {
                Self::Refused(StoreError::Duplicate(detail?.split(',').map(str::to_owned).collect()))
            }
            STILL_REFERENCED => Self::Refused(StoreError::StillReferenced(detail?)),
            CHANGED => Self::Refused(StoreError::EtagMismatch),
            UNWANTED => Self::Refused(StoreError::PreconditionFailed),
            _ => return None,
        })
    }
}

impl WriteOutcome {
    /// What nobody should ever be told.
    pub(super) fn strange() -> Self {
        Self::Refused(strange())
    }
}

fn strange() -> StoreError {
    StoreError::Broken("a write got an outcome of another kind".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_that_is_stored_is_read_back_as_it_was() {
        let record = || Bytes::from_static("{\"name\":\"É\"}".as_bytes());
        let created = || Created { id: RecordId::new(7).unwrap(), representation: record() };
        let refused = WriteOutcome::Refused;
        for verdict in [
            WriteOutcome::Created(created()),
            WriteOutcome::Updated(record()),
            WriteOutcome::Unchanged(record()),
            WriteOutcome::Deleted,
            WriteOutcome::NoRecord,
            refused(StoreError::DanglingReference("address".into())),
            refused(StoreError::Duplicate(vec!["a".into(), "b".into()])),
            refused(StoreError::StillReferenced("users, too".into())),
            refused(StoreError::EtagMismatch),
            refused(StoreError::PreconditionFailed),
        ] {
            let words = verdict.words(true).unwrap();
            let back =
                WriteOutcome::read(words.verdict, words.id, words.detail.map(Cow::into_owned)).unwrap();
            assert_eq!(format!("{back:?}"), format!("{verdict:?}"));
        }
        assert_eq!(WriteOutcome::Created(created()).words(false).unwrap().detail, None);
        assert!(WriteOutcome::read("painted", None, None).is_none());
    }

    #[test]
    fn of_a_large_record_the_tag_is_stored() {
        let (small, large) =
            (Bytes::from(vec![b'x'; LARGEST_KEPT]), Bytes::from(vec![b'x'; LARGEST_KEPT + 1]));
        let created = |record: &Bytes| {
            WriteOutcome::Created(Created { id: RecordId::new(7).unwrap(), representation: record.clone() })
        };
        for (verdict, record) in [
            (WriteOutcome::Updated(large.clone()), "None"),
            (WriteOutcome::Unchanged(large.clone()), "None"),
            (created(&large), "Some(RecordId(7))"),
        ] {
            let words = verdict.words(true).unwrap();
            assert!(words.detail.as_ref().unwrap().len() < 40);
            let back =
                WriteOutcome::read(words.verdict, words.id, words.detail.map(Cow::into_owned)).unwrap();
            let tag = ETag::of(&large);
            assert_eq!(format!("{back:?}"), format!("Tagged {{ id: {record}, tag: {tag:?} }}"));
        }
        assert_eq!(
            WriteOutcome::Updated(small.clone()).words(true).unwrap().detail.unwrap().len(),
            small.len()
        );
        assert_eq!(created(&large).words(false).unwrap().detail, None);
    }

    #[test]
    fn what_may_fare_better_the_next_time_is_not_stored() {
        for error in [
            StoreError::UndeclaredRule(String::new()),
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
            assert_eq!(WriteOutcome::Refused(error).words(true), None);
        }
    }
}
