//! One group from its beginning to its commit.

use tokio_postgres::Error;

use super::agenda::Agenda;
use super::change_log::TAKE_TURN_THEN_HURRY;
use super::group::{Group, Part, have_steps};
use super::group_error::GroupError;
use super::key_check::{self, KeyCheck, SAME_KEYS};
use super::stored_answers;
use crate::store::write::handle::PendingWrite;
use crate::store::write::{WriteOutcome, WriteReply};

impl Group<'_> {
    /// Does all of them and commits. Every write was told something then; an error says what befell all of them.
    pub(super) async fn run(&self, waiting: &[PendingWrite]) -> Result<Vec<WriteReply>, GroupError> {
        let works = waiting.iter().map(|waiting| &waiting.work);
        let agenda = Agenda::of_group(self.catalog, self.statements, works);
        let has_tokens = waiting.iter().any(|waiting| waiting.token().is_some());
        let common = self.prepare_common(has_tokens).await;
        common.map_err(|error| GroupError::of(&error, false))?;
        self.have_all_at_hand(&agenda).await?;
        let mut sent = Vec::with_capacity(agenda.steps.len() + 4);
        let warned = self.conn.alive.warnings();
        self.send(&mut sent, Part::Begin, self.simply("BEGIN"));
        self.send(&mut sent, Part::Turn, self.ask(TAKE_TURN_THEN_HURRY, vec![Box::new(self.lock_wait)]));
        match self.key_check {
            KeyCheck::Needless => {}
            KeyCheck::ByNumber(number) => {
                self.send(&mut sent, Part::SameKeys, self.ask(SAME_KEYS, vec![Box::new(number)]));
            }
            KeyCheck::InTurn(session, keys) => {
                self.settle(&mut sent, &Agenda::default(), &mut Vec::new(), false).await?;
                key_check::look(session, keys, waiting).await?;
            }
        }
        let told = if has_tokens {
            self.run_with_tokens(sent, waiting).await?
        } else {
            let mut outcomes: Vec<WriteOutcome> = Vec::with_capacity(waiting.len());
            self.carry_out(&mut sent, &agenda, &mut outcomes).await?;
            let works = waiting.iter().map(|waiting| &waiting.work);
            let mut announced = None;
            let are_judged = !have_steps(&sent);
            if are_judged {
                announced = self.announce(works.clone(), &outcomes);
            }
            self.commit(&mut sent, &agenda, &mut outcomes).await?;
            if !are_judged {
                announced = self.announce(works, &outcomes);
            }
            if let Some(announced) = announced {
                announced.confirm();
            }
            // It is committed: whatever this meets, the others are told what became of them.
            let _ = self.explain_undone(&agenda, &mut outcomes).await;
            outcomes.into_iter().map(WriteReply::first).collect()
        };
        if self.conn.alive.warnings() != warned {
            return Err(GroupError::Unknown("the server committed with a warning".into()));
        }
        Ok(told)
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
