//! A write that waits for its turn in a group, and whoever waits for the verdict on it.

use tokio::sync::oneshot;

use super::answers;
use super::group::{Group, Trouble};
use crate::store::StoreError;
use crate::store::retry::{Pass, Told};
use crate::store::verdict::Verdict;

pub(super) type Task = Box<dyn FnOnce(&mut Group<'_>) -> Result<Verdict, Trouble> + Send>;

/// A write that waits: run inside the group, answered after its commit.
pub(super) struct Write {
    task: Option<Task>,
    pass: Option<Pass>,
    told: Told<Verdict>,
    reply: oneshot::Sender<Told<Verdict>>,
}

impl Write {
    pub(super) fn new(task: Task, pass: Option<Pass>, reply: oneshot::Sender<Told<Verdict>>) -> Self {
        Self { task: Some(task), pass, told: unknown(), reply }
    }

    /// Does its part, unless it was done before; says whether an answer was stored. A failure of the engine takes the
    /// whole group with it.
    pub(super) fn run(&mut self, group: &mut Group<'_>) -> Result<bool, rusqlite::Error> {
        let Some(task) = self.task.take() else {
            return Ok(false);
        };
        let ticket = self.pass.as_ref().map(|pass| pass.ticket);
        if let Some(ticket) = &ticket
            && let Some(told) = answers::look_up(group.connection, ticket)?
        {
            self.told = told;
            return Ok(false);
        }
        let verdict = match task(group) {
            Ok(verdict) => verdict,
            Err(Trouble::Refused(error)) => Verdict::Refused(error),
            Err(Trouble::Engine(error)) => return Err(error),
        };
        let is_kept = match &ticket {
            Some(ticket) => answers::keep(group.connection, ticket, &verdict)?,
            None => false,
        };
        self.told = Told::first(verdict);
        Ok(is_kept)
    }

    /// Answers the client: with its own verdict, or with what befell the group.
    pub(super) fn answer(self, befell: Option<StoreError>) {
        // Before anybody hears of it: who is answered may come again at once.
        drop(self.pass);
        let told = befell.map_or(self.told, |error| Told::first(Verdict::Refused(error)));
        // Who no longer listens has hung up; the write stands.
        let _ = self.reply.send(told);
    }
}

/// What nobody can say.
pub(super) fn unknown() -> Told<Verdict> {
    Told::first(Verdict::Refused(StoreError::OutcomeUnknown))
}
