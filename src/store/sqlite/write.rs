//! A write that waits for its turn in a group, and whoever waits for the outcome on it.

use tokio::sync::oneshot;

use super::group::{Group, WriteError};
use super::stored_responses;
use crate::record::RecordId;
use crate::record::etag::ETags;
use crate::store::StoreError;
use crate::store::idempotency::{InFlightGuard, Replayable};
use crate::store::write_outcome::WriteOutcome;

type Done = Result<WriteOutcome, WriteError>;
type Small = Box<dyn FnOnce(&mut Group<'_>) -> Done + Send>;

/// What a write does.
pub(super) enum Task {
    /// One record, whatever becomes of it.
    Small(Small),
    /// One record, and all that its deletion brings along.
    Delete { collection: usize, id: RecordId, seen: Option<ETags> },
}

impl Task {
    /// Does it, and gives back what may have to be done again.
    fn run(self, group: &mut Group<'_>) -> (Done, Option<Self>) {
        match self {
            Self::Small(task) => (task(group), None),
            Self::Delete { collection, id, seen } => {
                let done = group.delete(collection, id, seen.as_ref());
                (done, Some(Self::Delete { collection, id, seen }))
            }
        }
    }
}

/// A write that waits: run inside the group, answered after its commit.
pub(super) struct Write {
    task: Option<Task>,
    guard: Option<InFlightGuard>,
    told: Replayable<WriteOutcome>,
    reply: oneshot::Sender<Replayable<WriteOutcome>>,
}

/// What became of a write inside its group.
pub(super) enum Ran {
    /// It has its outcome, and perhaps an answer was stored.
    Done { is_kept: bool },
    /// Nothing was done: it must run again without others.
    TooLarge,
}

impl Write {
    pub(super) fn new(
        task: Task,
        guard: Option<InFlightGuard>,
        reply: oneshot::Sender<Replayable<WriteOutcome>>,
    ) -> Self {
        Self { task: Some(task), guard, told: unknown(), reply }
    }

    /// Does its part, unless it was done before. A failure of the engine takes the whole group with it.
    pub(super) fn run(&mut self, group: &mut Group<'_>) -> Result<Ran, rusqlite::Error> {
        let token = self.guard.as_ref().map(|guard| guard.token);
        if let Some(token) = &token
            && let Some(told) = stored_responses::look_up(group.connection, token)?
        {
            self.told = told;
            return Ok(Ran::Done { is_kept: false });
        }
        if token.is_some() && !stored_responses::make_room(group.connection, group.budget)? {
            self.told = Replayable::first(WriteOutcome::Refused(StoreError::NoRoomForAnswers));
            return Ok(Ran::Done { is_kept: false });
        }
        let Some(task) = self.task.take() else { return Ok(Ran::Done { is_kept: false }) };
        let (done, task) = if group.foreign.is_there() { apart(group, task)? } else { task.run(group) };
        self.task = task;
        let outcome = match done {
            Ok(outcome) => outcome,
            Err(WriteError::Refused(error)) => WriteOutcome::Refused(error),
            Err(WriteError::Large) => return Ok(Ran::TooLarge),
            Err(WriteError::Engine(error)) => return Err(error),
        };
        let is_kept = match &token {
            Some(token) => stored_responses::keep(group.connection, token, &outcome, group.budget)?,
            None => false,
        };
        self.told = Replayable::first(outcome);
        Ok(Ran::Done { is_kept })
    }

    /// Answers the client: with its own outcome, or with what befell the group.
    pub(super) fn answer(self, befell: Option<StoreError>) {
        // Before anybody hears of it: who is answered may come again at once.
        drop(self.guard);
        let told = befell.map_or(self.told, |error| Replayable::first(WriteOutcome::Refused(error)));
        // Who no longer listens has hung up; the write stands.
        let _ = self.reply.send(told);
    }
}

/// Does a write so that nothing is left of it where it is refused, not even what a trigger did before.
fn apart(group: &mut Group<'_>, task: Task) -> Result<(Done, Option<Task>), rusqlite::Error> {
    let connection = group.connection;
    let run = |text| connection.prepare_cached(text).and_then(|mut statement| statement.execute([]));
    let done_before = std::mem::take(&mut group.changes);
    run("SAVEPOINT write")?;
    let (done, task) = task.run(group);
    let changes = std::mem::replace(&mut group.changes, done_before);
    // A trigger may have ended the transaction, and the savepoint with it.
    if connection.is_autocommit() {
        return Ok((done, task));
    }
    match done {
        Ok(_) => group.changes.extend(changes),
        Err(_) => _ = run("ROLLBACK TO write")?,
    }
    run("RELEASE write")?;
    Ok((done, task))
}

/// What nobody can say.
fn unknown() -> Replayable<WriteOutcome> {
    Replayable::first(WriteOutcome::Refused(StoreError::OutcomeUnknown))
}
