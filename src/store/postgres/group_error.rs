//! What can befall a whole group, and what it means to those who wait.

use std::ops::Range;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::indexes;
use crate::store::StoreError;
use crate::store::write::{Work, Write};

#[derive(Debug)]
pub(super) enum GroupError {
    /// The transaction was taken back: nothing was done.
    RolledBack {
        code: SqlState,
        cause: String,
        /// The table that it is about, where the server names one.
        table: Option<String>,
        /// The rule that was broken, where the server names one.
        constraint: Option<String>,
        /// The item that it is about, in a batch whose items were done one by one.
        item: Option<usize>,
    },
    /// Another tool has locked what one of the writes at these places needs; nothing was done.
    Locked(Range<usize>),
    /// The write at this place touches so many records that it must not share its commit; nothing was done.
    OneIsLarge(usize),
    /// The access keys are others than those by which the writes were let in; nothing was done.
    KeysChanged,
    /// The server has no connection left to write with, and nothing was done; why, in its words.
    NoConnection(String),
    /// The server is gone or takes no writes, and nothing was done.
    Unreachable,
    /// The commit was sent, and no answer came.
    Unknown(String),
}

impl GroupError {
    /// What an error means. Once the commit was sent, a connection that breaks leaves its outcome unknown.
    pub(super) fn of(error: &Error, commit_was_sent: bool) -> Self {
        match error.as_db_error() {
            Some(said)
                if matches!(said.severity(), "ERROR") || said.parsed_severity().is_some_and(is_error) =>
            {
                match *said.code() {
                    SqlState::READ_ONLY_SQL_TRANSACTION => Self::Unreachable,
                    _ => Self::RolledBack {
                        code: said.code().clone(),
                        cause: words(error),
                        table: said.table().map(str::to_owned),
                        constraint: said.constraint().map(str::to_owned),
                        item: None,
                    },
                }
            }
            _ if commit_was_sent => Self::Unknown(words(error)),
            _ => Self::Unreachable,
        }
    }

    /// What it means where it befell the writes at these places. The turn and the commit are of all, and waited for
    /// longer.
    pub(super) fn at(self, places: Range<usize>) -> Self {
        match self {
            Self::RolledBack { code: SqlState::LOCK_NOT_AVAILABLE, .. } => Self::Locked(places),
            error => error,
        }
    }

    /// The same, of a group of which only the writes at these places were done.
    pub(super) fn among(self, places: &[usize]) -> Self {
        match self {
            Self::OneIsLarge(at) => Self::OneIsLarge(places[at]),
            Self::Locked(Range { start, end }) => Self::Locked(places[start]..places[end - 1] + 1),
            error => error,
        }
    }

    /// The same, of a group in which a batch stands at this place and met it.
    pub(super) fn of_batch_at(self, place: usize) -> Self {
        match self {
            Self::OneIsLarge(_) => Self::OneIsLarge(place),
            Self::Locked(_) => Self::Locked(place..place + 1),
            error => error,
        }
    }

    /// The same, known to be about this item of a batch.
    pub(super) fn of_item(mut self, place: usize) -> Self {
        if let Self::RolledBack { item, .. } = &mut self {
            *item = Some(place);
        }
        self
    }

    /// Whether it may be the fault of one write, so that the others deserve a try of their own.
    pub(super) fn may_be_of_one(&self) -> bool {
        match self {
            Self::RolledBack { code, .. } => !matches!(
                *code,
                SqlState::LOCK_NOT_AVAILABLE | SqlState::DISK_FULL | SqlState::QUERY_CANCELED
            ),
            _ => false,
        }
    }

    /// Whether it may be the fault of one item of a batch, so that each deserves a look of its own. A deadlock is not over
    /// before all of the group is taken back.
    pub(super) fn may_be_of_an_item(&self) -> bool {
        let is_of_locks = matches!(self, Self::RolledBack { code, .. } if code.code().starts_with("40"));
        self.may_be_of_one() && !is_of_locks && !self.is_of_an_outdated_plan()
    }

    /// What it means to what was tried alone.
    pub(super) fn to(self, work: &Work) -> StoreError {
        match (work, &self) {
            (Work::One(write), _) => self.for_write(write),
            (Work::Batch(batch), Self::RolledBack { item: Some(place), .. })
                if *place < batch.items.len() =>
            {
                let place = *place;
                match self.for_write(&batch.items[place].write) {
                    // They are about the database, not about the item.
                    error @ (StoreError::Busy | StoreError::Full | StoreError::Broken(_)) => error,
                    error => StoreError::Item(place, Box::new(error)),
                }
            }
            (Work::Batch(_), _) => self.into(),
        }
    }

    /// A table that refers to records since we have started is met only here, and so is a unique rule that another node
    /// has, and we have not yet.
    fn for_write(self, write: &Write) -> StoreError {
        match (self, write) {
            (Self::RolledBack { code, table: Some(table), .. }, Write::Delete { .. })
                if code == SqlState::FOREIGN_KEY_VIOLATION =>
            {
                StoreError::StillReferenced(table)
            }
            (error, _) => match error.broken_rule() {
                Some(fields) => StoreError::Duplicate(fields),
                None => error.into(),
            },
        }
    }

    /// The fields of the unique rule that was broken, where it is one that carnet made.
    fn broken_rule(&self) -> Option<Vec<String>> {
        match self {
            Self::RolledBack { table: Some(table), constraint: Some(constraint), .. } => {
                indexes::fields_of_rule(table, constraint)
            }
            _ => None,
        }
    }

    /// Whether a table was altered since a statement was prepared, or the server lacks what somebody's trigger asks for,
    /// which has the same code.
    pub(super) fn is_of_an_outdated_plan(&self) -> bool {
        matches!(self, Self::RolledBack { code, .. } if *code == SqlState::FEATURE_NOT_SUPPORTED)
    }

    /// Whether somebody else came in between, so that a second look tells more. A condition of another tool on the record
    /// itself says the same again, and each try takes an id.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::RolledBack { code: SqlState::CHECK_VIOLATION | SqlState::NOT_NULL_VIOLATION, .. } => false,
            Self::RolledBack { code, .. } => {
                self.is_of_an_outdated_plan() || matches!(code.code().get(..2), Some("23" | "40"))
            }
            _ => false,
        }
    }
}

impl From<GroupError> for StoreError {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Locked(_) | GroupError::OneIsLarge(_) | GroupError::KeysChanged => Self::Busy,
            GroupError::NoConnection(_) | GroupError::Unreachable => Self::Unavailable,
            GroupError::Unknown(_) => Self::OutcomeUnknown,
            GroupError::RolledBack { code, cause, .. } => match code {
                SqlState::DISK_FULL => Self::Full,
                SqlState::SEQUENCE_GENERATOR_LIMIT_EXCEEDED => Self::NoIdLeft,
                SqlState::LOCK_NOT_AVAILABLE
                | SqlState::QUERY_CANCELED
                | SqlState::T_R_DEADLOCK_DETECTED
                | SqlState::T_R_SERIALIZATION_FAILURE => Self::Busy,
                SqlState::RAISE_EXCEPTION => Self::UndeclaredRule(cause),
                code if code.code().starts_with("23") => Self::UndeclaredRule(cause),
                _ => Self::Broken(cause),
            },
        }
    }
}

fn is_error(severity: tokio_postgres::error::Severity) -> bool {
    severity == tokio_postgres::error::Severity::Error
}

/// What a failed read means. One that an operator cancelled, or that found no room or a lock, is none of the server's
/// faults: the next one may do better.
pub(super) fn of_reading(error: &Error) -> StoreError {
    match GroupError::of(error, false) {
        GroupError::RolledBack { code, cause, .. } => match code.code().get(..2) {
            Some("40" | "53" | "55" | "57") => StoreError::Unavailable,
            _ => StoreError::Broken(cause),
        },
        _ => StoreError::Unavailable,
    }
}

/// What the server said, in one line: the driver's own words leave it out.
pub(super) fn words(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => error.to_string(),
    }
}
