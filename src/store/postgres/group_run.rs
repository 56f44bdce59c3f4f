//! One group from its beginning to its commit.

use tokio_postgres::Error;

use super::batching::{self, Step};
use super::change_log::TAKE_TURN_THEN_HURRY;
use super::group::{Group, Part};
use super::group_error::GroupError;
use super::key_check::{self, KeyCheck, SAME_KEYS};
use super::stored_answers;
use crate::store::write::handle::PendingWrite;
use crate::store::write::{Write, WriteOutcome, WriteReply};

impl Group<'_> {
    /// Does all of them and commits. Every write was told something then; an error says what befell all of them.
    pub(super) async fn run(&self, waiting: &[PendingWrite]) -> Result<Vec<WriteReply>, GroupError> {
        let writes: Vec<&Write> = waiting.iter().map(|waiting| &waiting.write).collect();
        let steps = batching::batch(self.catalog, self.statements, &writes);
        let has_tokens = waiting.iter().any(|waiting| waiting.token().is_some());
        self.prepare(&writes, &steps, has_tokens).await?;
        let mut sent = Vec::with_capacity(steps.len() + 4);
        let warned = self.conn.alive.warnings();
        self.send(&mut sent, Part::Begin, self.simply("BEGIN"));
        self.send(&mut sent, Part::Other, self.ask(TAKE_TURN_THEN_HURRY, vec![Box::new(self.lock_wait)]));
        match self.key_check {
            KeyCheck::Needless => {}
            KeyCheck::ByNumber(number) => {
                self.send(&mut sent, Part::SameKeys, self.ask(SAME_KEYS, vec![Box::new(number)]));
            }
            KeyCheck::InTurn(session, keys) => {
                self.settle(&mut sent, &[], &mut Vec::new(), false).await?;
                key_check::look(session, keys, waiting).await?;
            }
        }
        let told = if has_tokens {
            self.run_with_tokens(sent, waiting).await?
        } else {
            let mut outcomes: Vec<WriteOutcome> = Vec::with_capacity(writes.len());
            self.carry_out(&mut sent, &writes, steps, &mut outcomes).await?;
            self.commit(&mut sent, &writes, &mut outcomes).await?;
            // It is committed: whatever this meets, the others are told what became of them.
            let _ = self.explain_undone(&writes, &mut outcomes).await;
            outcomes.into_iter().map(WriteReply::first).collect()
        };
        if self.conn.alive.warnings() != warned {
            return Err(GroupError::Unknown("the server committed with a warning".into()));
        }
        Ok(told)
    }

    /// Has every statement at hand: to prepare one waits, and what waits would be overtaken.
    async fn prepare(&self, writes: &[&Write], steps: &[Step], has_tokens: bool) -> Result<(), GroupError> {
        let common = self.prepare_common(has_tokens).await;
        common.map_err(|error| GroupError::of(&error, false))?;
        for step in steps {
            let prepared = self.have_at_hand(self.text(writes, step)).await;
            prepared.map_err(|error| GroupError::of(&error, false).at(step.places()))?;
        }
        Ok(())
    }

    async fn prepare_common(&self, has_tokens: bool) -> Result<(), Error> {
        self.have_at_hand(TAKE_TURN_THEN_HURRY.into()).await?;
        if matches!(self.key_check, KeyCheck::ByNumber(_)) {
            self.have_at_hand(SAME_KEYS.into()).await?;
        }
        if has_tokens {
            self.conn.statement(stored_answers::LOOK_UP).await?;
            self.have_at_hand(stored_answers::KEEP.into()).await?;
        }
        Ok(())
    }
}
