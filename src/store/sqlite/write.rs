//! One write inside its group: told again what it was told before, refused, or done.

use super::group::{Group, WriteError};
use super::stored_answers;
use crate::store::write::handle::PendingWrite;
use crate::store::write::{Work, WriteReply};

/// What a write is told after the commit, and whether that was stored.
pub(super) struct Settled {
    pub(super) reply: WriteReply,
    pub(super) is_kept: bool,
}

impl Group<'_> {
    /// Does a write, unless it was done before.
    pub(super) fn settle(&mut self, pending: &PendingWrite) -> Result<Settled, WriteError> {
        let token = pending.token().copied();
        if let Some(token) = &token {
            if let Some(reply) =
                stored_answers::look_up(self.connection, token, pending.record().map(|(_, id)| id))?
            {
                return Ok(Settled { reply, is_kept: false });
            }
            stored_answers::make_room(self.connection, self.budget)?;
            self.budget.admit().map_err(WriteError::Refused)?;
        }
        let done = match &pending.work {
            Work::Batch(batch) => self.run_batch(batch),
            // Nothing is left of what is refused, not even what a trigger did before.
            Work::One(write) if self.foreign.is_there() => self.in_savepoint(|group| group.run(write)),
            Work::One(write) => self.run(write),
        };
        let outcome = match done {
            Err(WriteError::Refused(error)) => Err(error),
            done => Ok(done?),
        };
        let is_kept = match &token {
            Some(token) => stored_answers::keep(self.connection, token, &outcome, self.budget)?,
            None => false,
        };
        Ok(Settled { reply: WriteReply::first(outcome), is_kept })
    }

    /// Does something so that nothing is left of it where it is refused.
    pub(super) fn in_savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let connection = self.connection;
        let execute = |text| connection.prepare_cached(text).and_then(|mut statement| statement.execute([]));
        let done_before = std::mem::take(&mut self.changes);
        execute("SAVEPOINT write")?;
        let done = work(self);
        let changes = std::mem::replace(&mut self.changes, done_before);
        // A trigger may have ended the transaction, and the savepoint with it.
        if connection.is_autocommit() {
            return done;
        }
        match &done {
            Ok(_) => self.changes.extend(changes),
            Err(WriteError::Refused(_) | WriteError::Large) => _ = execute("ROLLBACK TO write")?,
            // The whole group is taken back.
            Err(WriteError::Engine(_) | WriteError::Repeat) => return done,
        }
        execute("RELEASE write")?;
        done
    }
}
