//! Batches: several writes of a group that are done wholly or not at all, each on top of those before it.

use rusqlite::OptionalExtension;

use super::group::{Group, WriteError};
use crate::store::change::Changes;
use crate::store::write::batch::BatchRun;
use crate::store::write::{Batch, Written};

impl Group<'_> {
    /// Does all items or nothing. They stay as they are, so that it can be done again.
    pub(super) fn run_batch(&mut self, batch: &Batch) -> Result<Written, WriteError> {
        let mut run = BatchRun::new(batch);
        let mut items = |group: &mut Self| {
            while run.place() < batch.items.len() {
                let write = run.write_at(run.place()).map_err(WriteError::Refused);
                let written = write.and_then(|write| group.run(&write));
                let done = written.and_then(|written| run.push(written).map_err(WriteError::Refused));
                done.map_err(|error| match error {
                    WriteError::Refused(error) => WriteError::Refused(run.refusal(error)),
                    error => error,
                })?;
            }
            Ok(())
        };
        self.is_in_batch = true;
        let done = match (self.is_shared, self.can_be_repeated) {
            (false, _) => self.as_first(items),
            (true, true) => items(self).map_err(|error| match error {
                WriteError::Engine(error) => WriteError::Engine(error),
                _ => WriteError::Repeat,
            }),
            (true, false) => self.in_savepoint(items),
        };
        self.is_in_batch = false;
        match done {
            Ok(()) => Ok(run.finish()),
            Err(WriteError::Refused(error)) => {
                self.use_up_ids(&run)?;
                Err(WriteError::Refused(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Does what comes first in its transaction, and takes back the transaction where it is refused. A savepoint would
    /// make a batch that changes many records quadratic: inside one every statement costs as much as all before it.
    fn as_first<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let done = work(self);
        // A trigger may have ended the transaction.
        if matches!(done, Err(WriteError::Refused(_))) && !self.connection.is_autocommit() {
            self.changes = Changes::default();
            self.is_begun_again = true;
            self.connection.execute_batch("ROLLBACK; BEGIN IMMEDIATE")?;
        }
        done
    }

    /// A refused batch uses up ids: another engine has drawn them before it can know, and ids are to go on alike.
    fn use_up_ids(&mut self, run: &BatchRun<'_>) -> rusqlite::Result<()> {
        // A trigger may have ended the transaction. What it leaves is not ours to change.
        if self.connection.is_autocommit() {
            return Ok(());
        }
        for collection in self.catalog.collections() {
            let number = run.used_ids(collection.position());
            if number == 0 {
                continue;
            }
            let mut last =
                self.connection.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = ?1")?;
            let last: Option<i64> = last.query_row([collection.name()], |row| row.get(0)).optional()?;
            let text = match last {
                Some(_) => "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1",
                None => "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)",
            };
            let used = last.unwrap_or(0).saturating_add(number);
            self.connection.prepare_cached(text)?.execute((collection.name(), used))?;
            self.used_up[collection.position()] = used == i64::MAX;
        }
        Ok(())
    }
}
