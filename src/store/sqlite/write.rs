//! One write inside its group: told again what it was told before, refused, or done.

use super::group::{Group, WriteError};
use super::stored_responses;
use crate::store::write::handle::PendingWrite;
use crate::store::write::{Write, WriteReply, Written};

/// What became of a write inside its group.
pub(super) enum Ran {
    /// What it is told after the commit, and whether that was stored.
    Settled { reply: WriteReply, is_kept: bool },
    /// Nothing was done: it must run again without others.
    TooLarge,
}

impl Group<'_> {
    /// Does a write, unless it was done before. A failure of the engine takes the whole group with it.
    pub(super) fn settle(&mut self, pending: &mut PendingWrite) -> Result<Ran, rusqlite::Error> {
        let token = pending.token().copied();
        if let Some(token) = &token {
            if let Some(reply) = stored_responses::look_up(self.connection, token)? {
                return Ok(Ran::Settled { reply, is_kept: false });
            }
            stored_responses::make_room(self.connection, self.budget)?;
            if let Err(error) = self.budget.admit() {
                return Ok(Ran::Settled { reply: WriteReply::first(Err(error)), is_kept: false });
            }
        }
        let done = match self.foreign.is_there() {
            true => self.run_apart(&mut pending.write)?,
            false => self.run(&mut pending.write),
        };
        let outcome = match done {
            Ok(written) => Ok(written),
            Err(WriteError::Refused(error)) => Err(error),
            Err(WriteError::Large) => return Ok(Ran::TooLarge),
            Err(WriteError::Engine(error)) => return Err(error),
        };
        let is_kept = match &token {
            Some(token) => stored_responses::keep(self.connection, token, &outcome, self.budget)?,
            None => false,
        };
        Ok(Ran::Settled { reply: WriteReply::first(outcome), is_kept })
    }

    /// Does a write so that nothing is left of it where it is refused, not even what a trigger did before.
    fn run_apart(&mut self, write: &mut Write) -> rusqlite::Result<Result<Written, WriteError>> {
        let connection = self.connection;
        let execute = |text| connection.prepare_cached(text).and_then(|mut statement| statement.execute([]));
        let done_before = std::mem::take(&mut self.changes);
        execute("SAVEPOINT write")?;
        let done = self.run(write);
        let changes = std::mem::replace(&mut self.changes, done_before);
        // A trigger may have ended the transaction, and the savepoint with it.
        if connection.is_autocommit() {
            return Ok(done);
        }
        match done {
            Ok(_) => self.changes.extend(changes),
            Err(_) => _ = execute("ROLLBACK TO write")?,
        }
        execute("RELEASE write")?;
        Ok(done)
    }
}
