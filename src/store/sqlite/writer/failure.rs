//! What becomes of a group that the engine failed in: an answer to those who wait, or the end.

use rusqlite::ErrorCode;

use super::WriterState;
use crate::observe::Event;
use crate::store::StoreError;
use crate::store::sqlite::ids;

impl WriterState {
    /// What a failure of the engine means to those who wait, and whether it is the end.
    pub(super) fn judge(&mut self, error: &rusqlite::Error) -> (StoreError, Result<(), String>) {
        let rolled_back =
            self.connection.is_autocommit() || self.connection.execute_batch("ROLLBACK").is_ok();
        match error.sqlite_error_code() {
            // So SQLite calls it, too, where another tool has taken the highest id since we looked: try again.
            Some(ErrorCode::DiskFull) if rolled_back && self.finds_ids_used_up() => {
                (StoreError::Busy, Ok(()))
            }
            Some(ErrorCode::DiskFull) if rolled_back => {
                self.note_full_disk();
                (StoreError::Full, Ok(()))
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) if rolled_back => {
                self.observer.store().found_busy();
                (StoreError::Busy, Ok(()))
            }
            // A constraint that no rule of ours explains is a fault of one statement, not of the disk.
            Some(ErrorCode::ConstraintViolation) if rolled_back && self.foreign.may_roll_back => {
                (StoreError::UndeclaredRule(error.to_string()), Ok(()))
            }
            Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch)
                if rolled_back =>
            {
                (StoreError::Broken(error.to_string()), Ok(()))
            }
            // After a failed sync the kernel has dropped the pages and a second sync would lie: never try again.
            _ => (StoreError::OutcomeUnknown, Err(error.to_string())),
        }
    }

    /// Whether a collection has no id left, and nobody knew.
    fn finds_ids_used_up(&mut self) -> bool {
        match ids::used_up(&self.connection, &self.catalog) {
            Ok(used_up) => std::mem::replace(&mut self.used_up, used_up) != self.used_up,
            Err(_) => false,
        }
    }

    /// Says once that writes are refused, until one goes through.
    pub(super) fn note_full_disk(&mut self) {
        if !std::mem::replace(&mut self.is_full, true) {
            self.observer.report(Event::WritesRefused { cause: "the disk is full" });
        }
    }
}
